-- What a list may change of the sources of several retailers ($1). In the order of their numbers, not of the texts made of them.
select s.id::text, s.retailer_id::text as "retailerId", s.name, s.kind, s.url, s.is_display_primary as "isDisplayPrimary",
  s.visibility_status as "visibilityStatus", s.upc_trusted as "upcTrusted", s.expiry_hours as "expiryHours",
  s.affiliate_network as "affiliateNetwork", s.affiliate_account_id as "affiliateAccountId",
  s.affiliate_account_name as "affiliateAccountName", s.affiliate_tracking_template as "affiliateTrackingTemplate"
from freshet.sources s where s.retailer_id = any ($1::bigint[]) order by s.id
