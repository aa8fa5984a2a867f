import { fileVendor } from "../files/file-vendor.ts";
import type { VendorFile } from "../files/vendor-file.ts";
import file from "./vendor.json" with { type: "json" };

/**
 * Blusalt's "BVN" verification, version 2.
 * docs/vendors/blusalt.md says what its documentation does and does not say.
 */
export const blusalt = fileVendor(file as unknown as VendorFile);
