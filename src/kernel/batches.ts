/** Batch size and stop condition of an import. */
export interface BatchOptions {
  /** Number of items in one transaction. */
  readonly size: number;
  /** Returns whether the import must end before the next batch. */
  readonly stopped: () => boolean;
}

/** Writes items in batches, in their order. Memory: one batch. */
export async function runBatches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { size, stopped }: BatchOptions,
  write: (batch: readonly Item[]) => Promise<void>,
): Promise<void> {
  let batch: Item[] = [];
  const flush = async () => {
    if (batch.length === 0 || stopped()) return;
    await write(batch);
    batch = [];
    // The loop yields to signals and timers between batches; Deno handles no signal between immediates.
    await new Promise((resolve) => setTimeout(resolve));
  };
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    await flush();
    if (stopped()) return;
  }
  await flush();
}

/**
 * Retries rejected items as long as each try rejects fewer, because an item may precede its dependency.
 * @param again writes the items and returns those that are rejected
 * @returns the items that the last try rejected
 */
export async function retryRefusedItems<Item>(
  refused: readonly Item[],
  { stopped }: Pick<BatchOptions, "stopped">,
  again: (items: readonly Item[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = refused;
  for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before && !stopped(); ) {
    before = left.length;
    left = await again(left);
  }
  return left;
}
