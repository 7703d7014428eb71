import {
  create,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { type CallOptions, type Client, Metadata } from "@grpc/grpc-js";
import { serviceFromProto } from "./dc_server.ts";
import { postJson } from "./http_client.ts";

export const SERVICE_NAME = "datacenter.v1.DatacenterService";
const service = serviceFromProto(SERVICE_NAME);

function methodOf(rpc: string): DescMethodUnary {
  const method = service.methods.find(({ name }) => name === rpc);
  if (method?.methodKind !== "unary") throw new Error(`There is no unary RPC "${rpc}"`);
  return method as DescMethodUnary;
}

/** Calls an RPC with proto JSON in and out. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Call = (rpc: string, request: object) => Promise<any>;

const read = (rpc: string, message: Parameters<typeof toJson>[1]) =>
  toJson(methodOf(rpc).output, message, { useProtoFieldName: true, alwaysEmitImplicit: true });

/** By the official gRPC client for JavaScript. */
export function overGrpcJs(client: Client, options: CallOptions = {}): Call {
  return (rpc, request) => {
    const { input, output } = methodOf(rpc);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/${SERVICE_NAME}/${rpc}`,
        (message: ReturnType<typeof create>) => Buffer.from(toBinary(input, message)),
        (bytes) => fromBinary(output, bytes),
        fromJson(input, request as JsonObject),
        new Metadata(),
        options,
        (error, reply) => (error === null && reply !== undefined ? resolve(read(rpc, reply)) : reject(error)),
      );
    });
  };
}

/** By connect-node, in the protocol of the transport. */
export function overConnectNode(transport: Transport): Call {
  const client = createClient(service, transport) as Record<string, (request: object) => Promise<never>>;
  return async (rpc, request) => {
    const method = methodOf(rpc);
    const reply = await client[method.localName]?.(fromJson(method.input, request as JsonObject));
    return read(rpc, reply ?? create(method.output));
  };
}

/** As JSON without any client library; a refusal is answered as its JSON. */
export function overRest(url: string): Call {
  return async (rpc, request) => JSON.parse((await postJson(`${url}/${SERVICE_NAME}/${rpc}`, request)).text);
}
