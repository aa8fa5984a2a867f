import { check } from "../check.ts";

/** Any 11 digits: public test numbers do not all begin with 22. */
export const bvn = check("bvn", { example: "22000000017" });
