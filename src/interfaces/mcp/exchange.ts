/** Takes the answer's line once, or nothing when there is to be no answer. */
export type Reply = (line: string | undefined) => void;

/** Where the answer to one message goes, and the bytes that the message holds in memory until then. */
export interface Exchange {
  readonly reply: Reply;
  readonly bytes: number;
}

/**
 * Spreads one exchange over the messages of a batch: when all are answered, their answers leave as one array in the
 * order of the messages, or nothing does when none has an answer.
 */
export function batchExchanges({ reply, bytes }: Exchange, size: number): readonly Exchange[] {
  const answers: (string | undefined)[] = [];
  let open = size;
  return Array.from({ length: size }, (_, index) => ({
    bytes: bytes / size,
    reply: (line) => {
      answers[index] = line;
      open -= 1;
      if (open > 0) return;
      const given = answers.filter((answer) => answer !== undefined);
      reply(given.length === 0 ? undefined : `[${given.join(",")}]`);
    },
  }));
}
