import { type DescEnum, type DescField, type DescMessage, type DescService, ScalarType } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { ERROR_KIND_BY_REASON } from "#dc/model/finding.ts";
import { findProtoComment } from "#dc/operations/messages/message_schema.ts";
import { GRPC_CODE_BY_KIND } from "#dc/operations/messages/status.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { rpcIndex } from "./rpc_index.ts";
import { hasMeanings, valueRows } from "./value_tables.ts";

const HEAD = `# RPCs and messages

Every RPC of the datacenter service with the fields of its request and reply, and the messages and enumerations that they hold, with
the comments of \`proto/datacenter/v1\`. \`bun tests/doc_tables.ts\` writes this page. The rules of writes are in
[contract/datacenter-rules.md](contract/datacenter-rules.md), the reasons of refusals in
[contract/datacenter-errors.md](contract/datacenter-errors.md#reasons).
`;

/** RPCs by their request or reply, which has no section of its own. */
const RPC_OF = new Map(
  [DatacenterService, PlanningService]
    .flatMap((service) => service.methods)
    .flatMap(({ name, input, output }) => [input, output].map((message) => [message, name] as const))
    .filter(([{ name }]) => /(?:Request|Response)$/.test(name)),
);

/** Messages and enumerations that a page has yet to describe. */
type Waiting = (DescMessage | DescEnum)[];

/** The page of all RPCs and messages. */
export function rpcsPage(): string {
  const shown = new Set<DescMessage | DescEnum>();
  const waiting: Waiting = [];
  const services = [DatacenterService, PlanningService].map((service) => serviceSections(service, waiting));
  const messages: string[] = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (shown.has(next) || (next.kind === "message" && RPC_OF.has(next))) continue;
    shown.add(next);
    const table = next.kind === "enum" ? valueRows(next) : fieldsTable(next, waiting);
    messages.push(`## ${next.name}\n\n${comment(next.typeName)}${table}`);
  }
  return [HEAD, rpcIndex(), ...services.flat(), ...messages.toSorted()].join("\n");
}

function serviceSections(service: DescService, waiting: Waiting): readonly string[] {
  return service.methods.map(({ name, input, output }) => {
    const head = `## ${name}\n\nOf \`${service.typeName}\`. ${comment(`${service.typeName}.${name}`)}`;
    const reply = RPC_OF.has(output)
      ? `${comment(output.typeName)}${fieldsTable(output, waiting)}`
      : `${linked(output, waiting)}\n`;
    return `${head}Request:\n\n${fieldsTable(input, waiting)}\nReply:\n\n${reply}`;
  });
}

function fieldsTable(message: DescMessage, waiting: Waiting): string {
  const rows = message.fields.map(
    (field) =>
      `| \`${field.name}\` | ${typeOf(field, waiting)} | ${comment(`${message.typeName}.${field.name}`).trim()} |\n`,
  );
  return rows.length === 0 ? "Nothing.\n" : `| Field | Type | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

/** The comment of an element without the notes for the checker of the proto files. */
function comment(name: string): string {
  const text = findProtoComment(name).replace(/(?: The contract names [^.]*\.)? buf:lint:ignore .*$/, "");
  return text === "" ? "" : `${text.replaceAll("|", "\\|").replace(/(?:[<*]|(?<!\w)_)(?=\w)/g, "\\$&")}\n\n`;
}

function typeOf(field: DescField, waiting: Waiting): string {
  const item =
    field.message !== undefined
      ? linked(field.message, waiting)
      : field.enum !== undefined
        ? valuesOf(field.enum, waiting)
        : ScalarType[field.scalar ?? ScalarType.STRING].toLowerCase();
  if (field.fieldKind === "map") return `map to ${item}`;
  return field.fieldKind === "list" ? `list of ${item}` : item;
}

/** Values of an enumeration, or its section where comments say what they mean. */
function valuesOf(words: DescEnum, waiting: Waiting): string {
  if (hasMeanings(words)) {
    waiting.push(words);
    return `[${words.name}](#${words.name.toLowerCase()})`;
  }
  const values = words.values.filter(({ number }) => number !== 0);
  return values.map(({ name }) => `\`${name.slice(words.sharedPrefix?.length ?? 0)}\``).join(", ");
}

function linked(message: DescMessage, waiting: Waiting): string {
  if (!message.typeName.startsWith("datacenter.")) return message.name;
  waiting.push(message);
  return `[${message.name}](#${(RPC_OF.get(message) ?? message.name).toLowerCase()})`;
}

/** Reasons of refusals by their code, with the code's HTTP status. */
export function reasonsTable(): string {
  const kinds = [...new Set(Object.values(ERROR_KIND_BY_REASON))];
  const rows = kinds.map((kind) => {
    const reasons = Object.entries(ERROR_KIND_BY_REASON).filter(([, own]) => own === kind);
    const code: Code = GRPC_CODE_BY_KIND[kind];
    const names = reasons.map(([name]) => name).join(", ");
    return `| ${kind.toUpperCase()} | ${codeToHttpStatus(code)} | ${names} |\n`;
  });
  return `| Code | HTTP | Reasons |\n| --- | --- | --- |\n${rows.join("")}`;
}
