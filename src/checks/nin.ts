import { personCheck } from "./person-check.ts";

/** An API client that sends a NIN gets no BVN, even if the vendor returns one. */
export const nin = personCheck("nin", { example: "00123456789", withheld: { bvn_number: "" } });
