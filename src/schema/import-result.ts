import type { ImportCounts } from '../domain/lists/import.ts'
import { builder } from './builder.ts'

export const ImportResult = builder.objectRef<ImportCounts>('ImportResult').implement({
  description: 'What an import did, or would do.',
  fields: (t) => ({
    rows: t.exposeInt('rows', { description: 'Rows in the list.' }),
    created: t.exposeInt('created', { description: 'Rows that made a new object.' }),
    updated: t.exposeInt('updated', { description: 'Rows that changed an object.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Rows that said nothing new.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'Whether nothing was written.' }),
  }),
})
