type Code = { meaning: string; hint: string; status?: number }

/**
 * Every code that `extensions.code` may hold. Clients rely on them: a code is never renamed, and never reused for
 * something else. `status` is the HTTP status when the whole request fails with it. `docs/errors.md` is made from this.
 */
export const errorCodes = {
  BAD_USER_INPUT: {
    meaning:
      'An argument is missing, of the wrong form or out of its range. `problems` lists every one, with its field.',
    hint: 'Correct the fields named and send the request again.',
  },
  NOT_FOUND: {
    meaning: 'The object that an id points at does not exist.',
    hint: 'Check the id; list the objects to find the right one.',
  },
  ALREADY_EXISTS: {
    meaning: 'Another object has this name, slug or URL already.',
    hint: 'Use the existing object, or choose another value for the field named.',
  },
  CONFLICT: {
    meaning: 'The object is in a state that does not allow this.',
    hint: 'Read the object again and decide anew.',
  },
  CONFIRMATION_REQUIRED: {
    meaning: 'The change has a large effect, which the message tells. Nothing was changed.',
    hint: 'If the effect is meant, send it again with `confirm: true`.',
  },
  FEED_NOT_ENABLED: {
    meaning:
      'The feed is not ENABLED, so it does not run. A run whose feed was paused before its next attempt does not count.',
    hint: 'Enable it with `enableFeed`, or `reenableFeed` where failures disabled it.',
  },
  FEED_BUSY: {
    meaning: 'A run of this feed is at work.',
    hint: 'Wait for its end (`runProgress`), look at what it changed, then decide.',
  },
  RUN_NOT_FOUND: {
    meaning: 'There is no such run of a feed.',
    hint: 'List the runs that wait for a decision: `runs(filter: {blocked: true})`.',
  },
  RUN_NOT_SUCCEEDED: {
    meaning: 'The run failed or is still at work: there is nothing that it could show.',
    hint: 'Decide a run that SUCCEEDED and was blocked.',
  },
  NOT_BLOCKED: {
    meaning: 'The run was not blocked: there is nothing to decide.',
    hint: 'List the runs that wait for a decision: `runs(filter: {blocked: true})`.',
  },
  ALREADY_APPROVED: {
    meaning: 'The run was approved before; consumers see what it saw.',
    hint: 'There is nothing to do.',
  },
  ALREADY_REJECTED: {
    meaning: 'The run was rejected before; what it saw is never shown.',
    hint: 'Run the feed again: a new run is judged anew.',
  },
  STALE_RUN: {
    meaning: 'A later run of the feed processed a file: what this one saw is not the news any more.',
    hint: 'Look at the later run, and decide that one if it was blocked.',
  },
  IMPACT_CHANGED: {
    meaning: 'Another number of offers would expire now than the one that was expected.',
    hint: 'Read `FeedRun.impact` again, and send the number that it shows now.',
  },
  NO_HELD_PRICE: {
    meaning: 'No price of this offer is held back.',
    hint: 'Look at `Offer.priceHistory(includeHeld: true)`: a price is held while the newest run of its feed that saw the offer is shown and has it.',
  },
  CURSOR_EXPIRED: {
    meaning:
      'The events behind this cursor are no longer kept, or the database never gave it: it may have been restored.',
    hint: 'Read the present state with `runs` or `run`, then subscribe again without `after`.',
  },
  IMPORT_REFUSED: {
    meaning: 'Rows of an imported list cannot be taken. Nothing was written; `problems` names row and column of each.',
    hint: 'Correct the rows named and import the whole list again.',
  },
  UNAUTHENTICATED: {
    meaning: 'The request needs a key and carries none.',
    hint: 'Send the header `Authorization: Bearer <key>`. `freshet keys create` makes a key.',
  },
  INVALID_KEY: {
    meaning: 'The key sent is unknown, revoked or expired.',
    hint: 'Check that the whole key was copied, or ask an administrator for a new one.',
    status: 401,
  },
  TOO_MANY_ATTEMPTS: {
    meaning: 'Too many wrong keys came from this address within a minute.',
    hint: 'Wait as long as the Retry-After header says. Until then a right key that this process did not let in before waits too: to try it would let anybody try keys without end.',
    status: 429,
  },
  FORBIDDEN: {
    meaning: 'The key is good, but lacks the scope that this field needs.',
    hint: 'Use a key with the scope named in the message.',
  },
  GRAPHQL_PARSE_FAILED: {
    meaning: 'The document is not GraphQL, or has more tokens than allowed.',
    hint: 'Correct the document at the place named.',
    status: 400,
  },
  GRAPHQL_VALIDATION_FAILED: {
    meaning: 'The document does not fit the schema.',
    hint: 'Compare the document with the schema in GraphiQL or `schema.graphql`.',
    status: 400,
  },
  QUERY_TOO_COMPLEX: {
    meaning: 'The query is deeper, has more aliases or would cost more than allowed. Nothing was looked up.',
    hint: 'Ask for fewer fields or smaller pages, or split the query.',
    status: 400,
  },
  REQUEST_TIMEOUT: {
    meaning:
      'The request took longer than allowed and was given up. Nothing of it is stored later; if something may have been stored before, the message says so and the hint how to find out.',
    hint: 'Ask for less at once, then try again.',
    status: 504,
  },
  CSRF_REFUSED: {
    meaning: 'The request could have come from a form on another site.',
    hint: 'Send POST with `content-type: application/json`; a GET that streams needs the header `x-freshet-csrf: 1` or an Authorization header.',
    status: 403,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body is not JSON.',
    hint: 'Send POST with `content-type: application/json`.',
    status: 415,
  },
  BAD_REQUEST: {
    meaning: 'The HTTP request is not a GraphQL request.',
    hint: 'Send `{"query": "…", "variables": {…}}` by POST.',
    status: 400,
  },
  SHUTTING_DOWN: {
    meaning: 'The server is stopping; the subscription ended with it.',
    hint: 'Connect again and go on after the last event seen.',
    status: 503,
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'The database cannot be reached, or is too busy.',
    hint: 'Try again in a few seconds.',
    status: 503,
  },
  INTERNAL_SERVER_ERROR: {
    meaning: 'A fault of ours. What happened is in the server log under the `requestId`.',
    hint: 'Try again; if it stays, give the operator the requestId.',
    status: 500,
  },
} as const satisfies Record<string, Code>

export type ErrorCode = keyof typeof errorCodes
