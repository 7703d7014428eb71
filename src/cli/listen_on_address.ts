import { OperationError } from "#kernel/errors.ts";
import type { SharedPort } from "#runtime/one_port.ts";

/** Listens on an address and returns the port. @throws OperationError that names the address and the reason */
export async function listenOnAddress(
  server: SharedPort,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program listens there" : message;
    throw new OperationError("unavailable", `Cannot listen on ${host} port ${port}: ${why}`, { cause: error });
  }
}
