import { Prisma } from '../db/generated/client/client.ts'
import { DomainError } from './errors.ts'

/** Turns the refusal of a unique key into an answer for the caller: which field, and what to do. Other errors pass as they are. */
export async function refuseDuplicate<Result>(work: Promise<Result>, field: string, message: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      throw new DomainError('ALREADY_EXISTS', message, { field, cause: error })
    }
    throw error
  }
}
