import './alert-subscription.ts'
import './alert.ts'
import './api-key.ts'
import './audit-entry.ts'
import './job.ts'
import './queue.ts'
import './retailer.ts'
import './run.ts'
import './run-subscription.ts'
import './scalars.ts'
import './source.ts'
import { builder } from './builder.ts'

export const schema = builder.toSchema()
