import type { Socket } from "node:net";

/**
 * Lets all writes of one tick leave the socket together. Bun's HTTP/1.1 on a foreign socket writes each header block,
 * chunk frame and end by a separate system call, which halves what it can serve.
 */
export function joinWrites(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let corked = false;
  const flush = () => {
    corked = false;
    socket.uncork();
  };
  const joined = (...args: unknown[]) => {
    if (!corked) {
      corked = true;
      socket.cork();
      process.nextTick(flush);
    }
    return write(...args);
  };
  socket.write = joined as typeof socket.write;
}
