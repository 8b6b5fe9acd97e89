import type { DocumentNode } from 'graphql'
import type { YogaServerOptions } from 'graphql-yoga'

type Caches = Exclude<YogaServerOptions<object, object>['parserAndValidationCache'], boolean | undefined>

const maxDocuments = 1_000
const longestDocument = 20_000

/**
 * Documents that were read and found valid, so that a client's next request skips that. Long ones are not kept, nor those
 * that could not be read: a thousand of a megabyte each would fill the memory.
 */
export function createDocumentCache(): Caches {
  const documents = new Map<string, DocumentNode>()
  return {
    documentCache: {
      get(text) {
        const document = documents.get(text)
        if (document) {
          documents.delete(text)
          documents.set(text, document) // the one used last is dropped last
        }
        return document
      },
      set(text, document) {
        if (text.length > longestDocument) return
        documents.set(text, document)
        const oldest = documents.keys().next()
        if (documents.size > maxDocuments && !oldest.done) documents.delete(oldest.value)
      },
    },
    errorCache: { get: () => undefined, set: () => {} },
  }
}
