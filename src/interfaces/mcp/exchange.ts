/** Receives the line of a reply, once; undefined if there is no reply. */
export type SendReply = (line: string | undefined) => void;

/** Receiver of the reply to one message, and the memory that the message occupies until then, in bytes. */
export interface MessageExchange {
  readonly reply: SendReply;
  readonly bytes: number;
}

/**
 * Splits one exchange among the messages of a batch. When all messages are finished, sends their replies as one array
 * in the order of the messages, or nothing without replies.
 */
export function splitExchange({ reply, bytes }: MessageExchange, size: number): readonly MessageExchange[] {
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
