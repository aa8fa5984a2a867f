import { fileVendor } from "../files/file-vendor.ts";
import type { VendorFile } from "../files/vendor-file.ts";
import file from "./vendor.json" with { type: "json" };

/** Youverify's BVN and NIN look-ups. docs/vendors/youverify.md says what its documentation does and does not say. */
export const youverify = fileVendor(file as unknown as VendorFile);
