import { personCheck } from "./person-check.ts";

/** Any 11 digits: public test numbers do not all begin with 22. */
export const bvn = personCheck("bvn", { example: "22000000017" });
