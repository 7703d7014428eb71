import { editStore } from "../edit/form_model.ts";

/** Copies the page's URL, which contains every choice, and shows a notice. */
export async function copyPageUrl(): Promise<void> {
  const { href } = location;
  const text = (await copyText(href)) ? "The address of this page is copied" : `Copy this address: ${href}`;
  editStore.close({ text, requestId: "", etags: new Map() });
}

/**
 * Copies a text to the clipboard. Returns whether that succeeded. Browsers offer the clipboard only to pages over HTTPS
 * or from this machine; otherwise the text is selected and copied.
 */
async function copyText(text: string): Promise<boolean> {
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
