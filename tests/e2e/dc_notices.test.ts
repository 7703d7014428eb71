import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { WebhookReceiver } from "../support/dc/webhook_receiver.ts";
import { type DcServer, emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { callRpc } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { until } from "../support/until.ts";

const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const DB = ["--db", "site.sqlite"];

const serveNotices = (cwd: string) => serveDc(cwd, [...DB, "--notify", "notify.yaml"]);

function setStatus({ url }: DcServer, status: string) {
  const message = { device: { code: "PDU-A01-A", status }, updateMask: "status" };
  return callRpc(url, "UpsertDevice", message);
}

test("planner dc serve --notify sends a rack at fault, after a kill too, and a trial; others learn why not", async () => {
  const cwd = emptyFolder();
  const [ops, chat] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
  writeFileSync(join(cwd, "secret"), SECRET);
  const named = [
    { name: "ops", url: ops.url, secret_file: "secret", kinds: ["rack"], places: ["room:AMS1/1/DH1"] },
    { name: "chat", url: chat.url, kinds: ["rack"], text: "{severity}: {summary}" },
  ];
  writeFileSync(join(cwd, "notify.yaml"), JSON.stringify({ receivers: named }));
  await sampleDatabase(cwd, "site.sqlite");

  const first = await serveNotices(cwd);
  const trial = await runPlanner(["dc", "notices", "test", "ops", ...DB], { cwd });
  expect([trial.code, trial.stdout]).toEqual([
    0,
    `"ops" took the notice ${ops.deliveries[0]?.headers["webhook-id"]}\n`,
  ]);
  const wrong = await runPlanner(["dc", "notices", "test", "nobody", ...DB], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("expected ops, chat")]);

  ops.answer = 500;
  await setStatus(first, "DEVICE_STATUS_FAILED");
  await until(() => ops.deliveries.length > 1 && chat.deliveries.length > 0);
  expect(chat.deliveries[0]?.json).toEqual({ text: expect.stringMatching(/^HIGH: Rack A01 is at fault: \d+ finding/) });
  await first.end();
  const waiting = await runPlanner(["dc", "notices", "list", ...DB], { cwd });
  const [line] = waiting.stdout
    .trim()
    .split("\n")
    .map((one) => JSON.parse(one));
  expect(line).toMatchObject({ receiver: "ops", type: "rack.appeared", data: { subject: "rack:A01" } });

  ops.answer = 204;
  const tries = ops.deliveries.length;
  await serveNotices(cwd);
  await until(() => ops.deliveries.length > tries);
  const { headers, body } = ops.deliveries.at(-1) as (typeof ops.deliveries)[number];
  expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ type: "rack.appeared" });
  expect(headers["webhook-id"]).toBe(line.id);
  // The server may be killed between a delivery and its record: then it comes again.
  expect(new Set(chat.deliveries.map((one) => one.body)).size).toBe(1);
}, 240_000);

test("planner dc serve refuses a file of receivers that it cannot use, before it takes connections", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "notify.yaml"), "receivers: [{name: a, url: 'http://127.0.0.1/', secret_file: none}]");
  const { code, stderr } = await runPlanner(
    ["dc", "serve", ...DB, "--create", "--port", "0", "--notify", "notify.yaml"],
    { cwd },
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot read the secret file of receiver "a"')]);
}, 240_000);
