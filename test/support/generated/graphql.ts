/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The affiliate network that a source belongs to. */
export type AffiliateNetwork =
  /** AvantLink. */
  | 'AVANTLINK'
  /** Awin. */
  | 'AWIN'
  /** CJ, formerly Commission Junction. */
  | 'CJ'
  /** impact.com. */
  | 'IMPACT'
  /** Rakuten Advertising. */
  | 'RAKUTEN'
  /** ShareASale. */
  | 'SHAREASALE';

/** A new retailer. */
export type CreateRetailerInput = {
  /** A picture of the logo, http or https; at most 2000 characters. */
  logoUrl?: string | null | undefined;
  /** The name people know; at most 200 characters. */
  name: string;
  /** A short unique name of a–z, 0–9 and hyphens, at most 100 characters; made from the name if not given. */
  slug?: string | null | undefined;
  /** A label of your own; at most 50 characters. */
  tier?: string | null | undefined;
  /** The home page, http or https; at most 2000 characters. */
  website?: string | null | undefined;
};

/** A new source. A SCRAPE source starts INELIGIBLE and without trust in its product codes. */
export type CreateSourceInput = {
  /** Which adapter reads its pages; at most 100 characters. */
  adapterId?: string | null | undefined;
  /** Our account or the advertiser at the network; at most 200 characters. */
  affiliateAccountId?: string | null | undefined;
  /** The name of that account, for people; at most 200 characters. */
  affiliateAccountName?: string | null | undefined;
  /** Its network, for an affiliate feed. */
  affiliateNetwork?: AffiliateNetwork | null | undefined;
  /** The link that leads clicks through the network, at most 2000 characters; must hold `{url}`, may hold `{accountId}` and `{clickId}`. */
  affiliateTrackingTemplate?: string | null | undefined;
  /** How long what was last seen stays visible: 1 to 168 hours, 48 if not given. */
  expiryHours?: number | null | undefined;
  /** How facts reach us. It cannot be changed later. */
  kind?: SourceKind | null | undefined;
  /** Unique among the sources of its retailer; at most 200 characters. */
  name: string;
  /** Whom the facts are about. */
  retailerId: string | number;
  /** How its pages are fetched. */
  scrapeConfig?: ScrapeConfigInput | null | undefined;
  /** Whether its product codes may decide what an offer is; if not given, no for SCRAPE and MARKET, yes for others. */
  upcTrusted?: boolean | null | undefined;
  /** Where it is found, http or https; at most 2000 characters. */
  url?: string | null | undefined;
};

/** What loads a page. */
export type FetcherType =
  /** A browser, for pages made by scripts. */
  | 'BROWSER'
  /** A plain request. */
  | 'HTTP';

/** A request header. */
export type HeaderInput = {
  /** As in Accept-Language; at most 100 characters. Headers with secrets cannot be set. */
  name: string;
  /** As in en-US; at most 500 characters. */
  value: string;
};

/** The record that a person read the terms and the robots.txt of a site. */
export type ReviewSourceInput = {
  /** Which source. */
  id: string | number;
  /** What was found, or where the permission is kept; at most 5000 characters. */
  notes?: string | null | undefined;
  /** Whether robots.txt allows what we do. False forbids every fetch. */
  robotsCompliant?: boolean | null | undefined;
  /** Who read and approved the terms; at most 200 characters. */
  tosApprovedBy: string;
};

/** How pages of a source are fetched. It replaces the former configuration as a whole. */
export type ScrapeConfigInput = {
  /** Headers to send along, at most 20. */
  customHeaders?: Array<HeaderInput> | null | undefined;
  /** What loads the pages. */
  fetcherType?: FetcherType | null | undefined;
  /** At most this many requests a second, up to 10. */
  requestsPerSecond?: number | null | undefined;
};

/** How facts reach us from a source. */
export type SourceKind =
  /** As a file of an affiliate network. */
  | 'AFFILIATE_FEED'
  /** From the retailer itself. */
  | 'DIRECT'
  /** From the searches of a listing site. */
  | 'MARKET'
  /** Any other way. */
  | 'OTHER'
  /** From known pages of a shop. */
  | 'SCRAPE';

/** Changes to a retailer. What is left out stays as it is; null clears a field that may be empty. */
export type UpdateRetailerInput = {
  /** Which retailer. */
  id: string | number;
  /** A picture of the logo, http or https; at most 2000 characters. */
  logoUrl?: string | null | undefined;
  /** The name people know; at most 200 characters. */
  name?: string | null | undefined;
  /** A short unique name of a–z, 0–9 and hyphens; at most 100 characters. */
  slug?: string | null | undefined;
  /** A label of your own; at most 50 characters. */
  tier?: string | null | undefined;
  /** The home page, http or https; at most 2000 characters. */
  website?: string | null | undefined;
};

/** Changes to a source. What is left out stays as it is; null clears a field that may be empty. */
export type UpdateSourceInput = {
  /** Which adapter reads its pages; at most 100 characters. */
  adapterId?: string | null | undefined;
  /** Our account or the advertiser at the network; at most 200 characters. */
  affiliateAccountId?: string | null | undefined;
  /** The name of that account, for people; at most 200 characters. */
  affiliateAccountName?: string | null | undefined;
  /** Its network, for an affiliate feed. */
  affiliateNetwork?: AffiliateNetwork | null | undefined;
  /** The link that leads clicks through the network, at most 2000 characters; must hold `{url}`, may hold `{accountId}` and `{clickId}`. */
  affiliateTrackingTemplate?: string | null | undefined;
  /** How long what was last seen stays visible: 1 to 168 hours. */
  expiryHours?: number | null | undefined;
  /** Which source. */
  id: string | number;
  /** Unique among the sources of its retailer; at most 200 characters. */
  name?: string | null | undefined;
  /** How its pages are fetched. */
  scrapeConfig?: ScrapeConfigInput | null | undefined;
  /** Whether its product codes may decide what an offer is. */
  upcTrusted?: boolean | null | undefined;
  /** Where it is found, http or https; at most 2000 characters. A move to another domain ends the review of the terms. */
  url?: string | null | undefined;
};

/** Why consumers see what a source brings, or do not. */
export type VisibilityReason =
  /** Hidden: another source is the display primary. `setDisplayPrimary` changes that. */
  | 'ANOTHER_SOURCE_IS_PRIMARY'
  /** Visible: it is eligible and direct, and its retailer has no display primary. */
  | 'DIRECT_WITHOUT_PRIMARY'
  /** Hidden: it is not eligible. `setSourceVisibility` changes that. */
  | 'INELIGIBLE'
  /** Visible: it is eligible and its retailer’s display primary. */
  | 'IS_PRIMARY'
  /** Hidden: it is not the display primary, and only direct sources are shown without. `setDisplayPrimary` changes that. */
  | 'NOT_PRIMARY';

/** Whether an operator lets consumers see what a source brings. */
export type VisibilityStatus =
  /** They may. */
  | 'ELIGIBLE'
  /** They may not. */
  | 'INELIGIBLE';

export type CreateRetailerMutationVariables = Exact<{
  input: CreateRetailerInput;
}>;


export type CreateRetailerMutation = { createRetailer: { id: string, slug: string, name: string, website: string | null, domain: string | null, logoUrl: string | null, tier: string | null } };

export type CreateSourceMutationVariables = Exact<{
  input: CreateSourceInput;
}>;


export type CreateSourceMutation = { createSource: { id: string, name: string, kind: SourceKind, visibilityStatus: VisibilityStatus, upcTrusted: boolean, expiryHours: number, isDisplayPrimary: boolean, visibility: { visible: boolean, reason: VisibilityReason } } };

export type UpdateRetailerMutationVariables = Exact<{
  input: UpdateRetailerInput;
}>;


export type UpdateRetailerMutation = { updateRetailer: { id: string, slug: string, name: string, website: string | null, domain: string | null, logoUrl: string | null, tier: string | null } };

export type UpdateSourceMutationVariables = Exact<{
  input: UpdateSourceInput;
}>;


export type UpdateSourceMutation = { updateSource: { id: string, name: string, kind: SourceKind, url: string | null, expiryHours: number, upcTrusted: boolean, affiliateNetwork: AffiliateNetwork | null, affiliateAccountId: string | null, affiliateAccountName: string | null, affiliateTrackingTemplate: string | null, adapterId: string | null, scrapeConfig: unknown, tosReviewedAt: string | null, tosApprovedBy: string | null, tosNotes: string | null, robotsCompliant: boolean } };

export type ReviewSourceMutationVariables = Exact<{
  input: ReviewSourceInput;
}>;


export type ReviewSourceMutation = { reviewSource: { id: string, tosReviewedAt: string | null, tosApprovedBy: string | null, tosNotes: string | null, robotsCompliant: boolean } };

export type SetDisplayPrimaryMutationVariables = Exact<{
  id: string | number;
}>;


export type SetDisplayPrimaryMutation = { setDisplayPrimary: { id: string, isDisplayPrimary: boolean, visibility: { visible: boolean, reason: VisibilityReason }, retailer: { sources: Array<{ name: string, isDisplayPrimary: boolean, visibility: { visible: boolean, reason: VisibilityReason } }> } } };

export type SetSourceVisibilityMutationVariables = Exact<{
  id: string | number;
  status: VisibilityStatus;
}>;


export type SetSourceVisibilityMutation = { setSourceVisibility: { id: string, visibilityStatus: VisibilityStatus, visibility: { visible: boolean, reason: VisibilityReason } } };


export const CreateRetailerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRetailer"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateRetailerInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createRetailer"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"website"}},{"kind":"Field","name":{"kind":"Name","value":"domain"}},{"kind":"Field","name":{"kind":"Name","value":"logoUrl"}},{"kind":"Field","name":{"kind":"Name","value":"tier"}}]}}]}}]} as unknown as DocumentNode<CreateRetailerMutation, CreateRetailerMutationVariables>;
export const CreateSourceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateSource"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateSourceInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createSource"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"visibilityStatus"}},{"kind":"Field","name":{"kind":"Name","value":"upcTrusted"}},{"kind":"Field","name":{"kind":"Name","value":"expiryHours"}},{"kind":"Field","name":{"kind":"Name","value":"isDisplayPrimary"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"visible"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]} as unknown as DocumentNode<CreateSourceMutation, CreateSourceMutationVariables>;
export const UpdateRetailerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateRetailer"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateRetailerInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateRetailer"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"website"}},{"kind":"Field","name":{"kind":"Name","value":"domain"}},{"kind":"Field","name":{"kind":"Name","value":"logoUrl"}},{"kind":"Field","name":{"kind":"Name","value":"tier"}}]}}]}}]} as unknown as DocumentNode<UpdateRetailerMutation, UpdateRetailerMutationVariables>;
export const UpdateSourceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateSource"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateSourceInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateSource"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"expiryHours"}},{"kind":"Field","name":{"kind":"Name","value":"upcTrusted"}},{"kind":"Field","name":{"kind":"Name","value":"affiliateNetwork"}},{"kind":"Field","name":{"kind":"Name","value":"affiliateAccountId"}},{"kind":"Field","name":{"kind":"Name","value":"affiliateAccountName"}},{"kind":"Field","name":{"kind":"Name","value":"affiliateTrackingTemplate"}},{"kind":"Field","name":{"kind":"Name","value":"adapterId"}},{"kind":"Field","name":{"kind":"Name","value":"scrapeConfig"}},{"kind":"Field","name":{"kind":"Name","value":"tosReviewedAt"}},{"kind":"Field","name":{"kind":"Name","value":"tosApprovedBy"}},{"kind":"Field","name":{"kind":"Name","value":"tosNotes"}},{"kind":"Field","name":{"kind":"Name","value":"robotsCompliant"}}]}}]}}]} as unknown as DocumentNode<UpdateSourceMutation, UpdateSourceMutationVariables>;
export const ReviewSourceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReviewSource"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReviewSourceInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reviewSource"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tosReviewedAt"}},{"kind":"Field","name":{"kind":"Name","value":"tosApprovedBy"}},{"kind":"Field","name":{"kind":"Name","value":"tosNotes"}},{"kind":"Field","name":{"kind":"Name","value":"robotsCompliant"}}]}}]}}]} as unknown as DocumentNode<ReviewSourceMutation, ReviewSourceMutationVariables>;
export const SetDisplayPrimaryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetDisplayPrimary"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setDisplayPrimary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"isDisplayPrimary"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"visible"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}},{"kind":"Field","name":{"kind":"Name","value":"retailer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sources"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"isDisplayPrimary"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"visible"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<SetDisplayPrimaryMutation, SetDisplayPrimaryMutationVariables>;
export const SetSourceVisibilityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetSourceVisibility"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"status"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"VisibilityStatus"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setSourceVisibility"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"status"},"value":{"kind":"Variable","name":{"kind":"Name","value":"status"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"visibilityStatus"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"visible"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]} as unknown as DocumentNode<SetSourceVisibilityMutation, SetSourceVisibilityMutationVariables>;