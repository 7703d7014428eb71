import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSigningKeys, readReceivers } from "#cli/dc/notices/notice_service.ts";
import { emptyFolder } from "../../../../support/dc_server.ts";

const folder = emptyFolder();
const path = join(folder, "notify.yaml");

const read = async (text: string) => {
  writeFileSync(path, text);
  return readReceivers(path);
};
const one = (fields: string) => read(`receivers: [{name: a, url: "https://h/", secret_file: s, ${fields}}]`);

test("readReceivers takes everything of every place from MEDIUM on, unless the file says otherwise", async () => {
  const [usual] = await one("");
  expect(usual).toMatchObject({ minSeverity: "MEDIUM", places: [], secretFile: join(folder, "s") });
  expect([...(usual?.kinds ?? [])]).toEqual(["cause", "window", "rack", "finding"]);
  const [given] = await one("min_severity: critical, kinds: [rack], places: ['room:AMS1/1/DH1']");
  expect(given).toMatchObject({
    minSeverity: "CRITICAL",
    places: [{ kind: "room", site: "AMS1", floor: 1, name: "DH1" }],
  });
});

test("readReceivers reads an address that is a secret from a file", async () => {
  writeFileSync(join(folder, "address"), "https://chat.example/hook/T0K\n");
  const [chat] = await read("receivers: [{name: chat, url_file: address, text: '{summary}'}]");
  expect(chat?.url).toBe("https://chat.example/hook/T0K");
});

test.each([
  ["receivers: []", "it has 0 receivers, expected 1 to 100"],
  ["receiver: []", 'expected the key "receivers" with a list'],
  ["receivers: [{name: a, uri: x}]", 'Unknown key "uri" in receivers[0]'],
  ["receivers: [{name: 'a b', url: 'https://h/', secret_file: s}]", 'Cannot use name "a b" in receivers[0]'],
  ["receivers: [{name: a, url: 'ftp://h/', secret_file: s}]", 'Cannot use url "ftp://h/"'],
  ["receivers: [{name: a, url: 'https://u:p@h/', secret_file: s}]", "without a name and a password"],
  ["receivers: [{name: a, secret_file: s}]", "expected either url or url_file"],
  ["receivers: [{name: a, url: 'https://h/'}]", "a file with a secret"],
  ["receivers: [{name: a, url: 'https://h/', text: '{sumary}'}]", "in braces one of type, subject"],
  ["receivers: [{name: a, url: 'https://h/', text: x, text_markup: html}]", "expected one of slack, markdown, none"],
  ["receivers: [{name: a, url: 'https://h/', secret_file: s, text_markup: none}]", "expected nothing without text"],
  ["receivers: [{name: a, url: 'https://h/', secret_file: s, kinds: [racks]}]", 'Cannot use kinds "racks"'],
  ["receivers: [{name: a, url: 'https://h/', secret_file: s, places: ['device:X']}]", 'Cannot use places "device:X"'],
  ["receivers: [{name: a, url: 'https://h/', secret_file: s, min_severity: BAD}]", 'Cannot use min_severity "BAD"'],
])("readReceivers refuses %j", async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test("readReceivers shows no address that could be used, when a file has another one", async () => {
  const refused = read("receivers: [{name: a, url: 'https://chat.example/T0K', url_file: address, text: x}]");
  await expect(refused).rejects.toThrow('Cannot use url "(given)" in receivers[0]');
});

test.each([
  "",
  "whsec_",
  `whsec_${"A".repeat(31)}!`,
  `whsec_${"A".repeat(16)} ${"A".repeat(16)}`,
  "whsec_c2hvcnQ=",
  "A".repeat(200),
])("readKeys refuses %j", (text) => {
  expect(() => parseSigningKeys(text)).toThrow("expected one secret a line");
});

test("readReceivers refuses two receivers of one name", async () => {
  const receiver = "{name: a, url: 'https://h/', secret_file: s}";
  await expect(read(`receivers: [${receiver}, ${receiver}]`)).rejects.toThrow('two receivers have the name "a"');
});

test("readReceivers takes markup of Slack for a text, unless the file names another one", async () => {
  const [usual] = await one("text: '{summary}'");
  expect(usual?.template).toEqual({ text: "{summary}", field: "text", markup: "slack" });
  const [given] = await one("text: '{summary}', text_field: content, text_markup: markdown");
  expect(given?.template).toEqual({ text: "{summary}", field: "content", markup: "markdown" });
});
