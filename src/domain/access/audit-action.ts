/** What people can do that the audit log records, by the type of the object that it is done to. */
export const auditActions = {
  Retailer: ['CREATE_RETAILER', 'UPDATE_RETAILER', 'IMPORT_RETAILERS'],
  Source: [
    'CREATE_SOURCE',
    'UPDATE_SOURCE',
    'REVIEW_SOURCE',
    'SET_SOURCE_VISIBILITY',
    'SET_DISPLAY_PRIMARY',
    'IMPORT_SOURCES',
    'EXPIRY_HOURS_CHANGED',
  ],
  Feed: [
    'CREATE_FEED',
    'UPDATE_FEED',
    'ENABLE_FEED',
    'PAUSE_FEED',
    'REENABLE_FEED',
    'RUN_FEED',
    'TEST_FEED',
    'ACCEPT_HOST_KEY',
    'HOST_KEY_LEARNED',
    'CREDENTIAL_CHANGED',
    'CREDENTIAL_ROTATED',
    'EXPIRY_HOURS_CHANGED',
    'INSECURE_TRANSPORT_SELECTED',
  ],
  FeedRun: ['APPROVE_ACTIVATION', 'REJECT_ACTIVATION', 'ACTIVATION_APPROVED', 'ACTIVATION_REJECTED'],
  Offer: ['ACCEPT_PRICE', 'PRICE_ACCEPTED', 'REBUILD_OFFERS'],
  Schedule: ['UPDATE_SCHEDULE', 'RUN_SCHEDULE'],
  Alert: ['ACKNOWLEDGE_ALERT', 'RESOLVE_ALERT'],
  ApiKey: ['CREATE_API_KEY', 'REVOKE_API_KEY'],
  Job: ['RETRY_JOB', 'CANCEL_JOB', 'DELETE_JOB'],
  Queue: ['SEND_JOB', 'REDRIVE_QUEUE'],
} as const

/** The types of objects that the audit log speaks of. One that is a row of ours has the name of its model and GraphQL type. */
export type AuditedType = keyof typeof auditActions

/** What can be done to objects of a type. */
export type ActionOn<Type extends AuditedType> = (typeof auditActions)[Type][number]
