import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A TCP proxy on this machine that can stop to forward, as a broken network does: connections stay open, new ones are
 * accepted, and no byte arrives in either direction. Bytes of the time without a network are lost with their connection.
 */
export class DroppingProxy {
  private readonly server: Server;
  private readonly target: number;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private drops = false;

  private constructor(target: number) {
    this.target = target;
    this.server = createServer((client) => this.serve(client));
  }

  static async start(target: number): Promise<DroppingProxy> {
    const proxy = new DroppingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    proxy.server.unref();
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Begins to drop everything. */
  cut(): void {
    this.drops = true;
  }

  /** Forwards new connections again, and ends those of before: bytes are missing in them, as probes of TCP would find. */
  heal(): void {
    this.drops = false;
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    this.pairs.clear();
  }

  private serve(client: Socket): void {
    const server = connect(this.target, "127.0.0.1");
    const pair = [client, server] as const;
    this.pairs.add(pair);
    const end = () => {
      // Nobody hears of an end while the network is away.
      if (this.drops) return;
      this.pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const [from, to] of [pair, pair.toReversed()] as (readonly [Socket, Socket])[]) {
      from.on("data", (bytes) => this.drops || to.write(bytes));
      from.setNoDelay(true).on("error", end).on("close", end);
    }
  }
}
