import { editStore } from "../edit/editing.ts";

/** Copies the address of the page, which holds all that is chosen on it, and says so. */
export async function shareAddress(): Promise<void> {
  const { href } = location;
  const text = (await isCopied(href)) ? "The address of this page is copied" : `Copy this address: ${href}`;
  editStore.close({ text, requestId: "", etags: new Map() });
}

/** Puts a text into the clipboard. Browsers offer that to pages of this machine and of HTTPS; others select and copy. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const had = document.activeElement as HTMLElement | null;
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    had?.focus();
    return done;
  }
}
