/** One thing that migrating is about to do. */
export type MigrationStep = {
  kind:
    | 'wait'
    | 'begin'
    | 'schema'
    | 'queue'
    | 'migration'
    | 'drop'
    | 'function'
    | 'view'
    | 'trigger'
    | 'check'
    | 'commit'
  name: string
}

/** Hears of each step before it is done, and holds it up until it returns. */
export type OnStep = (step: MigrationStep) => void | Promise<void>
