import { fileVendor } from "../files/file-vendor.ts";
import type { VendorFile } from "../files/vendor-file.ts";
import file from "./vendor.json" with { type: "json" };

/**
 * Dojah's "BVN Advanced" and "NIN" look-ups.
 * docs/vendors/dojah.md says what its documentation does and does not say.
 */
export const dojah = fileVendor(file as unknown as VendorFile);
