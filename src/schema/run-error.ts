import { builder } from './builder.ts'

export const RunError = builder.prismaObject('RunError', {
  description: 'A sample of what went wrong with one row or item of a run.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    code: t.exposeString('code', { description: 'What went wrong, for programs.' }),
    message: t.exposeString('message', { description: 'What went wrong, for people.' }),
    line: t.exposeInt('line', { nullable: true, description: 'The line of the file; null: there is none.' }),
    item: t.exposeString('item', { nullable: true, description: 'The item it is about, as its source names it.' }),
    details: t.expose('details', { type: 'JSON', description: 'More, as an object.' }),
  }),
})

export const RunErrorTotal = builder.prismaObject('RunErrorTotal', {
  description: 'How often something went wrong in a run, sampled or not.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What went wrong.' }),
    total: t.exposeInt('total', { description: 'How often.' }),
  }),
})
