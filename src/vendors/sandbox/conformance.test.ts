import { testIdentityUpstream } from "../conformance.fixture.ts";
import { sandbox } from "./index.ts";

testIdentityUpstream("sandbox", async () => sandbox(), {
  verified: "22000000017",
  notFound: "00000000001",
  slow: "00000000008",
});
