import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { SERVICES } from "#dc/operations/index.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";

/** Says whether the database answers. */
export type IsReady = () => Promise<boolean>;

/** The server as a whole, and what it serves. */
const NAMES: readonly string[] = ["", ...SERVICES.map(({ service }) => service.typeName)];

/** How often a watched status is looked at again, in milliseconds. Ours: a probe's usual interval. */
const WATCH_MS = 5000;

/**
 * Serves the gRPC health protocol. A shutdown ends every watch with NOT_SERVING, so that balancers send nothing more.
 */
export function healthRoutes(router: ConnectRouter, isReady: IsReady, shutdown: AbortSignal): void {
  const current = async () => (!shutdown.aborted && (await isReady()) ? Status.SERVING : Status.NOT_SERVING);
  router.service(Health, {
    async check({ service }) {
      if (!NAMES.includes(service)) throw new ConnectError(`There is no service "${service}"`, Code.NotFound);
      return { status: await current() };
    },
    async list() {
      const status = await current();
      return { statuses: Object.fromEntries(NAMES.map((name) => [name, { status }])) };
    },
    async *watch({ service }, { signal }) {
      const look = NAMES.includes(service) ? current : async () => Status.SERVICE_UNKNOWN;
      let told: Status | undefined;
      while (!signal.aborted) {
        const status = await look();
        if (status !== told) yield { status };
        told = status;
        if (shutdown.aborted) return;
        await pause(WATCH_MS, [signal, shutdown]);
      }
    },
  });
}

/** Waits, but no longer than until one of the signals. */
function pause(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    for (const signal of signals) signal.addEventListener("abort", done);
    if (signals.some(({ aborted }) => aborted)) done();
  });
}
