import { type DescField, type DescMessage, type DescService, ScalarType } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { REASONS } from "#dc/model/finding.ts";
import { commentOf } from "#dc/operations/messages/message_schema.ts";
import { GRPC_CODE } from "#dc/operations/messages/status.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";

const HEAD = `# RPCs and messages

Every RPC of the datacenter service with the fields of its request and reply, and the messages that they hold, with the comments of
\`proto/datacenter/v1\`. \`bun tests/doc_tables.ts\` writes this page. The rules of writes are in
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

/** The page of all RPCs and messages. */
export function rpcsPage(): string {
  const shown = new Set<DescMessage>();
  const waiting: DescMessage[] = [];
  const services = [DatacenterService, PlanningService].map((service) => serviceSections(service, waiting));
  const messages: string[] = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (shown.has(next) || RPC_OF.has(next)) continue;
    shown.add(next);
    messages.push(`## ${next.name}\n\n${comment(next.typeName)}${fieldsTable(next, waiting)}`);
  }
  return [HEAD, ...services.flat(), ...messages.toSorted()].join("\n");
}

function serviceSections(service: DescService, waiting: DescMessage[]): readonly string[] {
  return service.methods.map(({ name, input, output }) => {
    const head = `## ${name}\n\nOf \`${service.typeName}\`. ${comment(`${service.typeName}.${name}`)}`;
    const reply = RPC_OF.has(output) ? fieldsTable(output, waiting) : `${linked(output, waiting)}\n`;
    return `${head}Request:\n\n${fieldsTable(input, waiting)}\nReply:\n\n${reply}`;
  });
}

function fieldsTable(message: DescMessage, waiting: DescMessage[]): string {
  const rows = message.fields.map(
    (field) =>
      `| \`${field.name}\` | ${typeOf(field, waiting)} | ${comment(`${message.typeName}.${field.name}`).trim()} |\n`,
  );
  return rows.length === 0 ? "Nothing.\n" : `| Field | Type | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

/** The comment of an element without the notes for the checker of the proto files. */
function comment(name: string): string {
  const text = commentOf(name).replace(/(?: The contract names [^.]*\.)? buf:lint:ignore .*$/, "");
  return text === "" ? "" : `${text.replaceAll("|", "\\|").replace(/(?:[<*]|(?<!\w)_)(?=\w)/g, "\\$&")}\n\n`;
}

function typeOf(field: DescField, waiting: DescMessage[]): string {
  const item =
    field.message !== undefined
      ? linked(field.message, waiting)
      : (field.enum?.values
          .filter(({ number }) => number !== 0)
          .map(({ name }) => `\`${shortName(name, field.enum?.sharedPrefix)}\``)
          .join(", ") ?? (field.scalar === undefined ? "" : ScalarType[field.scalar].toLowerCase()));
  if (field.fieldKind === "map") return `map to ${item}`;
  return field.fieldKind === "list" ? `list of ${item}` : item;
}

function shortName(name: string, prefix = ""): string {
  return name.slice(prefix.length);
}

function linked(message: DescMessage, waiting: DescMessage[]): string {
  if (!message.typeName.startsWith("datacenter.")) return message.name;
  waiting.push(message);
  return `[${message.name}](#${(RPC_OF.get(message) ?? message.name).toLowerCase()})`;
}

/** Reasons of refusals by their code, with the code's HTTP status. */
export function reasonsTable(): string {
  const kinds = [...new Set(Object.values(REASONS))];
  const rows = kinds.map((kind) => {
    const reasons = Object.entries(REASONS).filter(([, own]) => own === kind);
    const code: Code = GRPC_CODE[kind];
    const names = reasons.map(([name]) => name).join(", ");
    return `| ${kind.toUpperCase()} | ${codeToHttpStatus(code)} | ${names} |\n`;
  });
  return `| Code | HTTP | Reasons |\n| --- | --- | --- |\n${rows.join("")}`;
}
