-- What a list may change of the sources of several retailers ($1).
select id::text, retailer_id::text as "retailerId", name, kind, url, is_display_primary as "isDisplayPrimary",
  visibility_status as "visibilityStatus", upc_trusted as "upcTrusted", expiry_hours as "expiryHours",
  affiliate_network as "affiliateNetwork", affiliate_account_id as "affiliateAccountId",
  affiliate_account_name as "affiliateAccountName", affiliate_tracking_template as "affiliateTrackingTemplate"
from freshet.sources where retailer_id = any ($1::bigint[]) order by id
