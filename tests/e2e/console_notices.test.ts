import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { seriousFaults } from "../support/accessibility.ts";
import { browserFor } from "../support/chromium.ts";
import { WebhookReceiver } from "../support/dc/webhook_receiver.ts";
import { type DcServer, emptyFolder } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { postJson } from "../support/http_client.ts";

const { browser, missing } = await browserFor("The console's notices are");

/** The reply as text; the test's own limit ends waiting for it. */
const listNotices = async ({ url }: DcServer) =>
  (await postJson(`${url}/datacenter.v1.PlanningService/ListNotices`, {})).text;

describe.skipIf(missing !== undefined)("the console's page of notices", () => {
  test("sends a trial and says whether its receiver took it, lists what waits, and names no address", async () => {
    const cwd = emptyFolder();
    const receiver = await WebhookReceiver.open();
    const chat = { name: "chat", url: receiver.url, text: "{summary}" };
    writeFileSync(join(cwd, "notify.yaml"), JSON.stringify({ receivers: [chat] }));
    const server = await serveDc(cwd, ["--db", "site.sqlite", "--create", "--notify", "notify.yaml"]);
    while (!(await listNotices(server)).includes('"receivers":["chat"]')) await pause(50);
    const page = await browser.newPage();
    await page.goto(`${server.url}/#/notices`);
    const trial = page.getByRole("button", { name: "Send a trial to chat" });
    const told = page.locator("main p[role=status]");

    await trial.click();
    await told.filter({ hasText: "“chat” took the trial." }).waitFor();
    expect(receiver.deliveries.map(({ json }) => json)).toEqual([{ text: "A trial notice: nothing has changed" }]);

    receiver.answer = 500;
    await trial.click();
    await told.filter({ hasText: "“chat” did not take the trial: it answered 500." }).waitFor();
    await page.getByRole("cell", { name: "it answered 500" }).waitFor();
    expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    expect(await page.content()).not.toContain(new URL(receiver.url).host);
    const listed = await listNotices(server);
    expect(JSON.parse(listed)).toMatchObject({ waiting_count: 1, notices: [{ receiver: "chat" }] });
    expect(listed).not.toContain(new URL(receiver.url).host);
    await page.close();
  }, 240_000);
});
