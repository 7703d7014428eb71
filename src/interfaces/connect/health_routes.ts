import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { SERVICES } from "#dc/operations/index.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { type FindUnreadyReason, HealthStatus } from "./health_status.ts";
import { MAX_SMALL_MESSAGE_BYTES } from "./limits.ts";

/** Names with a health status: the server as a whole, and each service. */
const HEALTH_NAMES: readonly string[] = ["", ...SERVICES.map(({ service }) => service.typeName)];

/** Registers the gRPC health protocol. Shutdown ends each watch with NOT_SERVING: load balancers send no more calls. */
export function registerHealthRoutes(
  router: ConnectRouter,
  findUnreadyReason: FindUnreadyReason,
  shutdown: AbortSignal,
): void {
  const health = new HealthStatus(findUnreadyReason, shutdown);
  const getServingStatus = async () => toServingStatus(await health.checkServing());
  router.service(
    Health,
    {
      async check({ service }) {
        if (!HEALTH_NAMES.includes(service)) throw new ConnectError(`There is no service "${service}"`, Code.NotFound);
        return { status: await getServingStatus() };
      },
      async list() {
        const status = await getServingStatus();
        return { statuses: Object.fromEntries(HEALTH_NAMES.map((name) => [name, { status }])) };
      },
      async *watch({ service }, { signal }) {
        const isKnown = HEALTH_NAMES.includes(service);
        let isFirst = true;
        for await (const isServing of health.watchServing(signal)) {
          if (isKnown) yield { status: toServingStatus(isServing) };
          else if (isFirst) yield { status: Status.SERVICE_UNKNOWN };
          isFirst = false;
        }
      },
    },
    { readMaxBytes: MAX_SMALL_MESSAGE_BYTES },
  );
}

function toServingStatus(isServing: boolean): Status {
  return isServing ? Status.SERVING : Status.NOT_SERVING;
}
