import { describe, expect, test } from "bun:test";
import { seriousFaults } from "../support/accessibility.ts";
import {
  chooseMore,
  EVERY_PAGE,
  figure,
  heading,
  NOTE_MOVES,
  NOTE_PICTURES,
  press,
  sampleConsole,
  tabTo,
} from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

/** Where the person at the console is. */
const ZONE = "Asia/Kolkata";

const { browser, server, visit, missing } = await sampleConsole("The console's pages are", {
  viewport: { width: 1400, height: 900 },
  timezoneId: ZONE,
});

describe.skipIf(missing !== undefined)("The web console", () => {
  test("finds a device, traces its cable, fails its feed, tells who goes dark, and shows the history", async () => {
    await visit("", async (page) => {
      await page.getByRole("link", { name: "Floor 1" }).waitFor();
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("combobox", { name: "Search or jump to" }).fill("srv-a08-07");
      await page.getByRole("option", { name: /SRV-A08-07/ }).click();
      await heading(page, "SRV-A08-07");
      await page.getByRole("link", { name: "Trace eth0" }).click();
      await heading(page, "SRV-A08-07/eth0");
      await page.getByRole("row", { name: /LEAF-A08-1/ }).waitFor();

      await page.goBack();
      await heading(page, "SRV-A08-07");
      await page.getByRole("link", { name: "AMS1-A08-A" }).first().click();
      await heading(page, "AMS1-A08-A");
      await page.getByRole("link", { name: "What if this fails" }).click();
      await heading(page, "If AMS1-A08-A fails");
      await page.getByText("Racks dark", { exact: true }).first().waitFor();
      expect(await figure(page, "Racks dark")).toStartWith("1");
      expect(await figure(page, "Devices offline")).toStartWith("23");
      const dark = page.getByRole("region", { name: "Off or dark" });
      expect(await dark.getByRole("row", { name: /^A08 / }).textContent()).toContain("dark");

      await page.getByRole("link", { name: "SRV-A08-07", exact: true }).click();
      await heading(page, "SRV-A08-07");
      await chooseMore(page, "History");
      await heading(page, "History of SRV-A08-07");
      await page.getByRole("region", { name: "Changes" }).getByText("Create").first().waitFor();
      const when = page.locator("time").first();
      expect(await when.textContent()).toEndWith(" UTC+5:30");
      expect(await when.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d [\d:.]+ UTC$/);
    });
  });

  test("does the same by the keyboard alone", async () => {
    await visit("", async (page) => {
      const { keyboard } = page;
      await page.getByRole("link", { name: "Floor 1" }).waitFor();
      await keyboard.press("/");
      await page.getByRole("combobox", { name: "Search or jump to" }).waitFor();
      await keyboard.type("srv-a08-07");
      await keyboard.press("Enter");
      await heading(page, "SRV-A08-07");
      await page.getByRole("link", { name: "Trace psu1" }).waitFor();
      await tabTo(page, "Trace psu1");
      await keyboard.press("ArrowDown");
      await keyboard.press("ArrowDown");
      await keyboard.press("Enter");
      await heading(page, "SRV-A08-07/eth0");
      // The key for it belongs to the browser, which has none without a window.
      await page.goBack();
      await heading(page, "SRV-A08-07");
      await page.getByRole("link", { name: "AMS1-A08-A" }).first().waitFor();
      await tabTo(page, "AMS1-A08-A");
      await keyboard.press("Enter");
      await heading(page, "AMS1-A08-A");
      await page.getByRole("link", { name: "What if this fails" }).waitFor();
      await tabTo(page, "What if this fails");
      await keyboard.press("Enter");
      await heading(page, "If AMS1-A08-A fails");
      await page.getByRole("region", { name: "Off or dark" }).waitFor();
      await keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      await keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    });
  });

  test("waits with Enter for the devices that answer the whole of what is typed", async () => {
    await visit("", async (page) => {
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("combobox", { name: "Search or jump to" }).fill("srv-a08-0");
      await page.getByRole("option", { name: /SRV-A08-01/ }).waitFor();
      const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
      await page.route("**/SearchInventory", async (route) => {
        await mayAnswer;
        await route.continue();
      });
      await page.getByRole("combobox", { name: "Search or jump to" }).press("End");
      await page.keyboard.type("7");
      await page.keyboard.press("Enter");
      answer();
      await heading(page, "SRV-A08-07");
    });
  });

  test("shows a picture and the lists below it at once, so that nothing moves under the pointer", async () => {
    await visit("", async (page) => {
      await page.evaluate(NOTE_PICTURES);
      for (const hash of ["rack/B03?tab=picture", "power/device%3AUPS-A2", "floor/floor%3AAMS1%2F1"]) {
        await page.goto(`${server.url}/#/${hash}`);
        await page.locator(".picture svg").waitFor();
        expect(await page.evaluate("late")).toEqual([]);
      }
    });
  });

  test("goes back from a field that was not left", async () => {
    await visit("", async (page) => {
      await page.getByRole("link", { name: "What if", exact: true }).click();
      await page.getByLabel("What fails").fill("device:UPS-A1");
      await page.goBack();
      await heading(page, "Losing ATS-A would take 11 racks and 610 devices.");
      expect(new URL(page.url()).hash).toBe("#/");
    });
  });

  test("takes the click that leaves a field, and what was typed in it", async () => {
    await visit("power/device%3AUPS-A1", async (page) => {
      const hash = () => new URL(page.url()).hash;
      await page.locator(".picture svg").waitFor();
      await page.getByLabel("What fails").fill("device:UPS-A2");
      await press(page, page.getByLabel("Let overloads trip"));
      await heading(page, "If UPS-A2 fails");
      expect(hash()).toBe("#/power/device%3AUPS-A2?cascade=0");
      await page.getByLabel("And at the same time").fill("device:UPS-B1");
      await press(page, page.getByLabel("Count batteries"));
      expect(hash()).toBe("#/power/device%3AUPS-A2?cascade=0&and=device%3AUPS-B1&battery=1");

      await page.goto(`${server.url}/#/thermal/floor%3AAMS1%2F1`);
      await page.locator(".picture svg").waitFor();
      await page.getByLabel("Scope").fill("row:AMS1/1/A");
      await press(page, page.getByRole("button", { name: "Fail it CRAH-A1" }));
      await heading(page, "AMS1/1/A");
      expect(hash()).toBe("#/thermal/row%3AAMS1%2F1%2FA?failed=CRAH-A1");
    });
  });

  test("leaves the page where it was moved when an option changes, and the focus on the option", async () => {
    await visit("power/device%3AUPS-A1", async (page) => {
      await page.locator(".picture svg").waitFor();
      const frame = page.locator(".picture-frame");
      await page.getByLabel("What fails").fill("device:UPS-A2");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await heading(page, "If UPS-A2 fails");
      await page.locator(".picture svg").waitFor();
      // The picture's own size, at which it scrolls; the focus stays on the option.
      await page.getByTitle("The picture's own size").evaluate((button: HTMLElement) => button.click());
      await frame.evaluate((element) => element.scrollTo(0, 60));
      await page.evaluate(NOTE_MOVES);
      const answered = page.waitForResponse("**/PowerBlastRadius");
      await page.keyboard.press("Space");
      await answered;
      await page.locator("main [aria-busy=false]").waitFor();

      expect(await page.getByLabel("Let overloads trip").isChecked()).toBe(false);
      expect(await page.evaluate("document.activeElement?.closest('label')?.textContent")).toBe("Let overloads trip");
      expect(await frame.evaluate((element) => element.scrollTop)).toBe(60);
      expect(await page.evaluate("gone")).toBe(0);
    });
  });

  test("takes a bulk file in and tells of each item that is refused", async () => {
    await visit("import", async (page) => {
      const location = { site_id: "AMS1", floor_number: 3 };
      const lines = [
        { rack: { code: "NEW-1", location } },
        { rack: { code: "bad code", location } },
        { device: { code: "NEW-S", kind: "DEVICE_KIND_SERVER", rack_code: "NOWHERE" } },
        { device: { code: "NEW-T", kind: "DEVICE_KIND_SERVER", rack_code: "NEW-1" } },
      ];
      const buffer = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
      await page.getByLabel("File").setInputFiles({ name: "site.jsonl", mimeType: "application/json", buffer });
      await page.getByRole("button", { name: "Check", exact: true }).click();

      await page.getByText("2 refused").waitFor();
      const refused = page.getByRole("region", { name: "Refused rows" });
      expect(await refused.getByLabel("code, line 2").inputValue()).toBe("bad code");
      expect(await refused.getByRole("row", { name: /^3 Device NEW-S / }).textContent()).toContain(
        'Cannot find rack "NOWHERE"',
      );
      const counts = async (...names: string[]) => Promise.all(names.map((name) => figure(page, name)));
      expect(await counts("Read", "To be created", "Refused")).toEqual(["4", "2", "2"]);
      // A check alone writes nothing, and another text has to be checked again.
      const write = page.getByRole("button", { name: "Write the other 2" });
      await write.waitFor();
      await page.getByRole("button", { name: "Back to the file" }).click();
      await page.getByLabel("Or its text").press("End");
      await page.keyboard.type(" ");
      expect(await page.getByRole("button", { name: /^2 Check/ }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Check", exact: true }).click();
      await write.click();
      await page.getByRole("button", { name: "Import another file" }).waitFor();
      expect(await counts("Read", "Created", "Refused")).toEqual(["4", "2", "2"]);

      await page.goto(`${server.url}/#/rack/NEW-1`);
      await page.getByRole("link", { name: "NEW-T" }).first().waitFor();
    });
  });

  // The page's bytes are the same whichever engine sends them, so one run looks at them.
  test.skipIf(PLANNER[0] === "deno").each(["light", "dark"] as const)(
    "has no serious fault of accessibility in %s colours",
    async (scheme) => {
      await visit(
        "",
        async (page) => {
          const faults: string[] = [];
          for (const [hash, title] of EVERY_PAGE) {
            await page.goto(`${server.url}/#/${hash}`);
            await heading(page, title);
            await page.locator("main .skeleton, main [aria-busy=true]").first().waitFor({ state: "hidden" });
            // The other colours change nothing but the contrast.
            const found = await seriousFaults(page, { contrastAlone: scheme === "dark" });
            faults.push(...found.map((fault) => `${title}: ${fault}`));
          }
          expect(faults).toEqual([]);
        },
        { colorScheme: scheme },
      );
    },
  );

  test("keeps the theme that is chosen, and a link to a page leads back to it", async () => {
    await visit("rack/B03?view=RENDER_VIEW_REAR", async (page) => {
      await page.getByRole("button", { name: "Change to dark colours" }).click();
      await page.reload();
      await page.getByRole("button", { name: "Change to light colours" }).waitFor();
      expect(await page.getByLabel("View").inputValue()).toBe("rear");
    });
  });
});

test.skipIf(missing !== undefined)("asks for a token, says when the server is away, and tries again", async () => {
  const cwd = emptyFolder();
  const made = await runPlanner(["dc", "token", "create", "anna", "--role", "reader", "--tokens", "tokens.json"], {
    cwd,
  });
  const guarded = await DcServer.start(cwd, ["--tokens", "tokens.json"]);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(guarded.url);
    const signIn = async (token: string) => {
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Sign in in this tab" }).click();
    };
    await signIn("nonsense");
    await page.getByText("Authorization holds an unknown token: expected one of the token file").waitFor();
    await signIn(made.stdout.trim());
    await page.getByText("Nothing is recorded yet").waitFor();

    // A reader is not offered what would be refused.
    await page.goto(`${guarded.url}/#/import`);
    await page.getByText("Your role may read only").waitFor();
    expect(await page.getByRole("button", { name: "Check" }).count()).toBe(0);

    await context.setOffline(true);
    await page.goto(`${guarded.url}/#/devices?q=a`);
    await page.getByRole("heading", { name: "No connection" }).waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No device matches.").waitFor();
  } finally {
    await context.close();
    await guarded.end();
  }
});
