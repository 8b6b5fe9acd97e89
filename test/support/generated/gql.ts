/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  mutation CreateRetailer($input: CreateRetailerInput!) {\n    createRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n": typeof types.CreateRetailerDocument,
    "\n  mutation CreateSource($input: CreateSourceInput!) {\n    createSource(input: $input) {\n      id\n      name\n      kind\n      visibilityStatus\n      upcTrusted\n      expiryHours\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n": typeof types.CreateSourceDocument,
    "\n  mutation UpdateRetailer($input: UpdateRetailerInput!) {\n    updateRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n": typeof types.UpdateRetailerDocument,
    "\n  mutation UpdateSource($input: UpdateSourceInput!) {\n    updateSource(input: $input) {\n      id\n      name\n      kind\n      url\n      expiryHours\n      upcTrusted\n      affiliateNetwork\n      affiliateAccountId\n      affiliateAccountName\n      affiliateTrackingTemplate\n      adapterId\n      scrapeConfig\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n": typeof types.UpdateSourceDocument,
    "\n  mutation ReviewSource($input: ReviewSourceInput!) {\n    reviewSource(input: $input) {\n      id\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n": typeof types.ReviewSourceDocument,
    "\n  mutation SetDisplayPrimary($id: ID!) {\n    setDisplayPrimary(id: $id) {\n      id\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n      retailer {\n        sources {\n          name\n          isDisplayPrimary\n          visibility {\n            visible\n            reason\n          }\n        }\n      }\n    }\n  }\n": typeof types.SetDisplayPrimaryDocument,
    "\n  mutation SetSourceVisibility($id: ID!, $status: VisibilityStatus!) {\n    setSourceVisibility(id: $id, status: $status) {\n      id\n      visibilityStatus\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n": typeof types.SetSourceVisibilityDocument,
};
const documents: Documents = {
    "\n  mutation CreateRetailer($input: CreateRetailerInput!) {\n    createRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n": types.CreateRetailerDocument,
    "\n  mutation CreateSource($input: CreateSourceInput!) {\n    createSource(input: $input) {\n      id\n      name\n      kind\n      visibilityStatus\n      upcTrusted\n      expiryHours\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n": types.CreateSourceDocument,
    "\n  mutation UpdateRetailer($input: UpdateRetailerInput!) {\n    updateRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n": types.UpdateRetailerDocument,
    "\n  mutation UpdateSource($input: UpdateSourceInput!) {\n    updateSource(input: $input) {\n      id\n      name\n      kind\n      url\n      expiryHours\n      upcTrusted\n      affiliateNetwork\n      affiliateAccountId\n      affiliateAccountName\n      affiliateTrackingTemplate\n      adapterId\n      scrapeConfig\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n": types.UpdateSourceDocument,
    "\n  mutation ReviewSource($input: ReviewSourceInput!) {\n    reviewSource(input: $input) {\n      id\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n": types.ReviewSourceDocument,
    "\n  mutation SetDisplayPrimary($id: ID!) {\n    setDisplayPrimary(id: $id) {\n      id\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n      retailer {\n        sources {\n          name\n          isDisplayPrimary\n          visibility {\n            visible\n            reason\n          }\n        }\n      }\n    }\n  }\n": types.SetDisplayPrimaryDocument,
    "\n  mutation SetSourceVisibility($id: ID!, $status: VisibilityStatus!) {\n    setSourceVisibility(id: $id, status: $status) {\n      id\n      visibilityStatus\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n": types.SetSourceVisibilityDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateRetailer($input: CreateRetailerInput!) {\n    createRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n"): (typeof documents)["\n  mutation CreateRetailer($input: CreateRetailerInput!) {\n    createRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateSource($input: CreateSourceInput!) {\n    createSource(input: $input) {\n      id\n      name\n      kind\n      visibilityStatus\n      upcTrusted\n      expiryHours\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateSource($input: CreateSourceInput!) {\n    createSource(input: $input) {\n      id\n      name\n      kind\n      visibilityStatus\n      upcTrusted\n      expiryHours\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateRetailer($input: UpdateRetailerInput!) {\n    updateRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateRetailer($input: UpdateRetailerInput!) {\n    updateRetailer(input: $input) {\n      id\n      slug\n      name\n      website\n      domain\n      logoUrl\n      tier\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateSource($input: UpdateSourceInput!) {\n    updateSource(input: $input) {\n      id\n      name\n      kind\n      url\n      expiryHours\n      upcTrusted\n      affiliateNetwork\n      affiliateAccountId\n      affiliateAccountName\n      affiliateTrackingTemplate\n      adapterId\n      scrapeConfig\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateSource($input: UpdateSourceInput!) {\n    updateSource(input: $input) {\n      id\n      name\n      kind\n      url\n      expiryHours\n      upcTrusted\n      affiliateNetwork\n      affiliateAccountId\n      affiliateAccountName\n      affiliateTrackingTemplate\n      adapterId\n      scrapeConfig\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReviewSource($input: ReviewSourceInput!) {\n    reviewSource(input: $input) {\n      id\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n"): (typeof documents)["\n  mutation ReviewSource($input: ReviewSourceInput!) {\n    reviewSource(input: $input) {\n      id\n      tosReviewedAt\n      tosApprovedBy\n      tosNotes\n      robotsCompliant\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetDisplayPrimary($id: ID!) {\n    setDisplayPrimary(id: $id) {\n      id\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n      retailer {\n        sources {\n          name\n          isDisplayPrimary\n          visibility {\n            visible\n            reason\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetDisplayPrimary($id: ID!) {\n    setDisplayPrimary(id: $id) {\n      id\n      isDisplayPrimary\n      visibility {\n        visible\n        reason\n      }\n      retailer {\n        sources {\n          name\n          isDisplayPrimary\n          visibility {\n            visible\n            reason\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetSourceVisibility($id: ID!, $status: VisibilityStatus!) {\n    setSourceVisibility(id: $id, status: $status) {\n      id\n      visibilityStatus\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetSourceVisibility($id: ID!, $status: VisibilityStatus!) {\n    setSourceVisibility(id: $id, status: $status) {\n      id\n      visibilityStatus\n      visibility {\n        visible\n        reason\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;