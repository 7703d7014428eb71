import { readAddress } from "../src/address.mjs";

const throws = (text) => {
  try {
    readAddress(text);
    return false;
  } catch {
    return true;
  }
};

if (readAddress("https://example.org/a") !== "https://example.org/a") process.exit(1);
if (!throws("file:///a") || !throws("")) process.exit(1);
