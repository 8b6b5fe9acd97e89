import DataLoader from 'dataloader'
import type { Context } from './builder.ts'

/**
 * Looks up together what the objects of a list ask for one by one; such a look-up is named `load…`. Nothing is remembered: the
 * context of a subscription lives as long as it does, and its next event must see what is there then.
 */
export function inBatches<Key, Value>(
  load: (keys: readonly Key[], context: Context) => Promise<readonly (Value | Error)[]>,
): (key: Key, context: Context) => Promise<Value> {
  const loaders = new WeakMap<Context, DataLoader<Key, Value>>()
  return (key, context) => {
    let loader = loaders.get(context)
    if (!loader) {
      loader = new DataLoader<Key, Value>((keys) => load(keys, context), { cache: false })
      loaders.set(context, loader)
    }
    return loader.load(key)
  }
}
