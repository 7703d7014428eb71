import { type DescExtension, type DescFile, type DescMessage, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { type ServerReflectionRequest, ServerReflection as V1 } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import {
  type ServerReflectionRequest as AlphaRequest,
  ServerReflection as V1Alpha,
} from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";

/** Maximum size of a health or reflection message in either direction, in bytes: they name a service or a symbol. */
export const MAX_SMALL_MESSAGE_BYTES = 64 * 1024;

const SMALL_MESSAGE_OPTIONS = { readMaxBytes: MAX_SMALL_MESSAGE_BYTES };

type ReflectionQuestion = ServerReflectionRequest | AlphaRequest;

/**
 * Registers the gRPC reflection protocol, v1 and v1alpha, whose messages are the same. Clients use it to call the
 * services without proto files.
 */
export function registerReflectionRoutes(router: ConnectRouter, services: readonly DescService[]): void {
  const known = new DescriptorIndex(services);
  router.service(V1, { serverReflectionInfo: (questions) => answerQuestions(known, questions) }, SMALL_MESSAGE_OPTIONS);
  router.service(
    V1Alpha,
    { serverReflectionInfo: (questions) => answerQuestions(known, questions) },
    SMALL_MESSAGE_OPTIONS,
  );
}

async function* answerQuestions<Asked extends ReflectionQuestion>(
  known: DescriptorIndex,
  questions: AsyncIterable<Asked>,
) {
  for await (const question of questions) {
    const messageResponse = answerQuestion(known, question.messageRequest);
    yield { validHost: question.host, originalRequest: question, messageResponse };
  }
}

function answerQuestion(known: DescriptorIndex, { case: kind, value }: ReflectionQuestion["messageRequest"]) {
  switch (kind) {
    case "listServices":
      return {
        case: "listServicesResponse" as const,
        value: { service: known.serviceNames.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return createFileResponse(known.findFile(value), `file "${value}"`);
    case "fileContainingSymbol":
      return createFileResponse(known.findFileOfSymbol(value), `symbol "${value}"`);
    case "allExtensionNumbersOfType":
      if (known.findFileOfSymbol(value) === undefined) return createNotFoundResponse(`type "${value}"`);
      return {
        case: "allExtensionNumbersResponse" as const,
        value: { baseTypeName: value, extensionNumber: known.listExtensions(value).map(({ number }) => number) },
      };
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = value;
      const found = known.listExtensions(containingType).find(({ number }) => number === extensionNumber);
      return createFileResponse(found?.file, `extension ${extensionNumber} of "${containingType}"`);
    }
    default:
      return {
        case: "errorResponse" as const,
        value: { errorCode: Code.InvalidArgument, errorMessage: "Nothing is asked" },
      };
  }
}

function createFileResponse(file: DescFile | undefined, what: string) {
  if (file === undefined) return createNotFoundResponse(what);
  const fileDescriptorProto = collectImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse" as const, value: { fileDescriptorProto } };
}

function createNotFoundResponse(what: string) {
  return { case: "errorResponse" as const, value: { errorCode: Code.NotFound, errorMessage: `There is no ${what}` } };
}

/** Returns a file and all files that it imports, each once. The file itself comes first. */
function collectImports(file: DescFile): readonly DescFile[] {
  const found = new Set([file]);
  // A Set also iterates over elements that are added during the loop, so it serves as the queue.
  for (const one of found) for (const dependency of one.dependencies) found.add(dependency);
  return [...found];
}

class DescriptorIndex {
  readonly serviceNames: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();

  constructor(services: readonly DescService[]) {
    this.serviceNames = services.map(({ typeName }) => typeName).toSorted();
    for (const service of services) for (const file of collectImports(service.file)) this.#addFile(file);
  }

  findFile(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  findFileOfSymbol(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  listExtensions(type: string): readonly DescExtension[] {
    return [...this.#files.values()].flatMap(({ extensions }) =>
      extensions.filter(({ extendee }) => extendee.typeName === type),
    );
  }

  #addFile(file: DescFile): void {
    // A descriptor's name lacks the suffix that clients use.
    this.#files.set(`${file.name}.proto`, file);
    for (const message of file.messages) this.#addMessage(file, message);
    for (const { typeName } of [...file.enums, ...file.extensions]) this.#symbols.set(typeName, file);
    for (const { typeName, methods } of file.services) {
      this.#symbols.set(typeName, file);
      for (const { name } of methods) this.#symbols.set(`${typeName}.${name}`, file);
    }
  }

  #addMessage(file: DescFile, message: DescMessage): void {
    this.#symbols.set(message.typeName, file);
    for (const { typeName } of message.nestedEnums) this.#symbols.set(typeName, file);
    for (const nested of message.nestedMessages) this.#addMessage(file, nested);
  }
}
