/** Parameters that say who sent the visitor, and nothing of the page. In small letters; one list for every shop (S2 §3.4). */
const names = new Set(
  [
    'ref clickid click_id',
    // Impact
    'irclickid irgwc iradid ircid irpid irmpname irmptype iraid irtrackingid im_ref im_rewards mpid intsrc sharedid afsrc',
    // CJ, ShareASale, Awin, Rakuten, AvantLink, Pepperjam, Partnerize, TradeDoubler, Webgains, Admitad
    'cjevent cjdata sscid awc sv1 sv_campaign_id sv_tax1 ranmid raneaid ransiteid avad pj_creativeid publisherid',
    'clickref pubref tduid wgu wgexpiry wgcampaignid wgprogramid admitad_uid tagtag_uid zanpid vgo_ee skimlinks',
    // Advertisements, mail and shares
    'gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid fbclid msclkid ttclid twclid yclid ysclid li_fat_id',
    'epik igshid igsh rdt_cid scid mc_cid mc_eid _branch_match_id _hsenc _hsmi hsctatracking mkt_tok vero_id oly_enc_id oly_anon_id',
  ].flatMap((line) => line.split(' ')),
)

/** Whether a parameter of a link only tells where the click came from. */
export function isTrackingParameter(name: string): boolean {
  const small = name.toLowerCase()
  return names.has(small) || small.startsWith('utm_') || small.startsWith('aff') || /^sub_?id\d{0,2}$/.test(small)
}
