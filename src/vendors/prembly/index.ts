import { fileVendor } from "../files/file-vendor.ts";
import type { VendorFile } from "../files/vendor-file.ts";
import file from "./vendor.json" with { type: "json" };

/** Prembly's full BVN and NIN look-ups. docs/vendors/prembly.md says what its documentation does and does not say. */
export const prembly = fileVendor(file as unknown as VendorFile);
