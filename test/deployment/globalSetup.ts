import { startEmbedded } from "convex-embedded";
import type { TestProject } from "vitest/node";
import { embeddedApp } from "../app/embeddedApp.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where clients find the deployment. */
    url: string;
    /** Where its HTTP actions are. */
    siteUrl: string;
    /** The key for `npx convex run`, if there is one. */
    deployKey: string | undefined;
    /** It is the embedded server, which caches nothing. */
    isEmbedded: boolean;
    /** It hides the text of errors, as a production deployment does. */
    hidesErrors: boolean;
  }
}

export default async function findDeployment({ provide }: TestProject) {
  const {
    CONVEX_URL: url,
    CONVEX_SITE_URL: siteUrl = url?.replace(
      /\.convex\.cloud\/?$/,
      ".convex.site",
    ),
    CONVEX_DEPLOY_KEY,
    CONVEX_SELF_HOSTED_ADMIN_KEY,
    REDACT_LOGS_TO_CLIENT,
  } = process.env;
  provide("isEmbedded", url === undefined);
  provide("hidesErrors", url !== undefined && REDACT_LOGS_TO_CLIENT === "true");
  if (url === undefined) {
    const server = await startEmbedded({ app: embeddedApp, port: 0 });
    console.log(
      "CONVEX_URL is not set: this is the embedded server, no deployment.\n",
    );
    provide("url", server.url);
    provide("siteUrl", server.siteUrl);
    provide("deployKey", undefined);
    return () => server.close();
  }
  if (siteUrl === undefined || siteUrl === url) {
    throw new Error("Set CONVEX_SITE_URL to the address of the HTTP actions.");
  }
  provide("url", url);
  provide("siteUrl", siteUrl);
  provide("deployKey", CONVEX_DEPLOY_KEY ?? CONVEX_SELF_HOSTED_ADMIN_KEY);
}
