import { traces } from '../db/failure.ts'
import { DomainError } from './errors.ts'

/** What is said of each unique key, by the name of its constraint: the field that holds what is taken, and a sentence. */
export type Duplicates = Record<string, { field: string; message: string }>

/** Turns the refusal of one of these unique keys into an answer for the caller. Other errors, and keys, pass as they are. */
export async function refuseDuplicate<Result>(work: Promise<Result>, duplicates: Duplicates): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const taken = traces(error).flatMap(({ constraint }) => duplicates[constraint] ?? [])[0]
    if (!taken) throw error
    throw new DomainError('ALREADY_EXISTS', taken.message, { field: taken.field, cause: error })
  }
}
