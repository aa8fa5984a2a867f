import { endpoint, setting } from "../../declare/setting.ts";
import { isClosed } from "../../runtime/network/address.ts";

export const metricsSettings = {
  address: setting({
    name: "DUBA_METRICS",
    default: "",
    about: "Address and port of GET /metrics for Prometheus. Empty: no metrics.",
    ...endpoint("127.0.0.1:9464 or [::1]:9464"),
    listens: true,
    risk(address, own) {
      if (address === null) return undefined;
      const { host, port } = address;
      const isEverywhere = host === "0.0.0.0" || host === "::";
      return (isEverywhere ? own : [host]).some((each) => !isClosed(each))
        ? `DUBA_METRICS opens the metrics on a public address of this machine, and nobody signs in to read them. Set it to an address of your own network, or let a firewall close the port ${port}.`
        : undefined;
    },
  }),
};
