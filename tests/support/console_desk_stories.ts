import { expect } from "bun:test";
import { command, go, press, row, type Story, save, says, search, set, shows, titled } from "./console_person.ts";

const CSV = "Code,Kind,Rack,U\nCSV-1,Server,R1,7\nCSV-2,toaster,R1,8\nCSV-3,Server,NOWHERE,1\nCSV-4,Server,R1,x\n";

const END = { device_code: "SRV-1", port_name: "eth0" };
const endsTo = (port_name: string) => ({ a: { device_code: "SW-1", port_name }, b: END });
const cableTo = (port_name: string) => ({ ...endsTo(port_name), type: "CABLE_TYPE_CAT6" });

/** What is done on a small site that asks for tokens, while others change it. */
export const ON_A_SMALL_SITE: readonly Story[] = [
  {
    title: "A cable is recorded at the wrong port",
    keys: 60,
    who: "anna",
    steps: [
      async ({ desk }) => void (await desk.call("berta", "UpsertCable", { cable: cableTo("e1") })),
      search("srv-1", "SRV-1"),
      titled("SRV-1"),
      press("Edit the cable of eth0"),
      set("Port", "e2", "End B"),
      save("Save 1 change"),
      row(/eth0.*SW-1 e2/),
      async ({ desk }) => {
        await desk.call("berta", "DeleteCable", endsTo("e2"));
      },
    ],
  },
  {
    title: "A table with three wrong rows",
    keys: 200,
    who: "anna",
    steps: [
      go("Import", "i"),
      { words: ["paste the table"], act: (person) => person.enter(person.page.getByLabel("Or its text"), CSV) },
      press("Check"),
      shows("3 refused"),
      row(/CSV-2.*"toaster" is none of/),
      row(/CSV-3.*Cannot find rack "NOWHERE"/),
      row(/CSV-4.*"x" is not a number/),
      press("Write the other 1"),
      shows("Created"),
      async ({ desk }) => void (await desk.call("berta", "DeleteDevice", { code: "CSV-1" })),
    ],
  },
  {
    title: "Two people edit one server",
    keys: 60,
    who: "anna",
    steps: [
      async ({ desk }) =>
        void (await desk.call("berta", "UpsertDevice", { device: { code: "SRV-2", name: "old", role: "old" } })),
      search("srv-2", "SRV-2"),
      titled("SRV-2"),
      press("Edit", /^Edit E/),
      set("Role", "mine"),
      shows("Checked with the server."),
      async ({ desk }) =>
        void (await desk.call("berta", "UpsertDevice", { device: { code: "SRV-2", name: "theirs" } })),
      shows("Someone else changed this meanwhile"),
      press("Go on with this"),
      save("Save 1 change"),
      says("Saved SRV-2"),
      async ({ desk }) => {
        const { device } = await desk.call("anna", "GetDevice", { code: "SRV-2" });
        expect([device.name, device.role]).toEqual(["theirs", "mine"]);
      },
    ],
  },
  {
    title: "A token that reads only",
    keys: 20,
    who: "rosa",
    steps: [
      search("srv-1", "SRV-1"),
      titled("SRV-1"),
      says("reader"),
      async ({ page }) =>
        expect(await page.getByRole("button", { name: /^(?:Edit|Delete|Connect|Disconnect)/ }).count()).toBe(0),
      command("Sign out"),
      shows("Nothing is shown without one."),
    ],
  },
  {
    title: "A token expires while one types",
    keys: 150,
    who: "anna",
    steps: [
      search("srv-1", "SRV-1"),
      press("Edit", /^Edit E/),
      ({ page }) => page.getByLabel("Name", { exact: true }).waitFor(),
      async ({ page }) => page.evaluate(() => sessionStorage.setItem("planner-token", "expired")),
      set("Name", "kept"),
      async ({ page }) => page.getByRole("dialog", { name: "Sign in again" }).waitFor(),
      {
        words: ["Token or JWT"],
        act: async (person) => person.enter(person.page.getByLabel("Token or JWT"), person.desk.tokens["anna"] ?? ""),
      },
      press("Sign in in this tab"),
      shows("No rule is broken"),
      async ({ page }) => {
        expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("kept");
        expect(await page.evaluate(() => localStorage.getItem("planner-token"))).toBeNull();
      },
      save("Save 1 change"),
      says("Saved SRV-1"),
      press("Undo"),
      save("Undo 1 change"),
      says("Took back 1 change"),
    ],
  },
  {
    title: "The server is away and comes back",
    keys: 60,
    who: "anna",
    steps: [
      async ({ desk }) => void (await desk.call("berta", "UpsertDevice", { device: { code: "SRV-2", name: "old" } })),
      search("srv-2", "SRV-2"),
      titled("SRV-2"),
      press("Edit", /^Edit E/),
      ({ page }) => page.getByLabel("Name", { exact: true }).waitFor(),
      async ({ desk }) => desk.stop(),
      shows(/^The figures are from \d/),
      set("Name", "typed while away"),
      async ({ desk }) => desk.startAgain(),
      save("Save 1 change"),
      says("Saved SRV-2"),
    ],
  },
];
