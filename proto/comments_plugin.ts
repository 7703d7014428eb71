/** A plugin of `buf generate`: writes down the proto's comments, which the generated descriptors leave out. */
import { createEcmaScriptPlugin, getComments, runNodeJs, type Schema } from "@bufbuild/protoplugin";

/** Files whose comments the program shows to its callers. */
const SHOWN = "datacenter/";

type Described = Parameters<typeof getComments>[0];

type File = Schema["files"][number];

function generateComments({ files, generateFile }: Schema): void {
  for (const file of files.filter(({ name }) => name.startsWith(SHOWN))) {
    const made = generateFile(`${file.name}_comments.ts`);
    made.preamble(file);
    made.print("/** The comments of ", JSON.stringify(`${file.name}.proto`), " by full name. */");
    made.print("export const COMMENTS: Readonly<Record<string, string>> = {");
    for (const [name, text] of commentsOf(file)) made.print(`  ${JSON.stringify(name)}: ${JSON.stringify(text)},`);
    made.print("};");
  }
}

function commentsOf(file: File): readonly (readonly [string, string])[] {
  const entries: (readonly [string, string])[] = [];
  const add = (name: string, desc: Described) => {
    const { leading, trailing } = getComments(desc);
    const text = [leading, trailing].filter((part) => part !== undefined).join(" ");
    if (text !== "") entries.push([name, text.replace(/\s+/g, " ").trim()]);
  };
  for (const message of file.messages) {
    add(message.typeName, message);
    for (const field of message.fields) add(`${message.typeName}.${field.name}`, field);
  }
  for (const word of file.enums) {
    add(word.typeName, word);
    for (const value of word.values) add(`${word.typeName}.${value.name}`, value);
  }
  for (const service of file.services) {
    add(service.typeName, service);
    for (const method of service.methods) add(`${service.typeName}.${method.name}`, method);
  }
  return entries;
}

runNodeJs(createEcmaScriptPlugin({ name: "comments", version: "v1", generateTs: generateComments }));
