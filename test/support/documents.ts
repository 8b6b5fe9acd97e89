import { graphql } from './generated/gql.ts'

export const CreateRetailer = graphql(`
  mutation CreateRetailer($input: CreateRetailerInput!) {
    createRetailer(input: $input) {
      id
      slug
      name
      website
      domain
      logoUrl
      tier
    }
  }
`)

export const CreateSource = graphql(`
  mutation CreateSource($input: CreateSourceInput!) {
    createSource(input: $input) {
      id
      name
      kind
      visibilityStatus
      upcTrusted
      expiryHours
      isDisplayPrimary
      visibility {
        visible
        reason
      }
    }
  }
`)

export const UpdateRetailer = graphql(`
  mutation UpdateRetailer($input: UpdateRetailerInput!) {
    updateRetailer(input: $input) {
      id
      slug
      name
      website
      domain
      logoUrl
      tier
    }
  }
`)

export const UpdateSource = graphql(`
  mutation UpdateSource($input: UpdateSourceInput!) {
    updateSource(input: $input) {
      id
      name
      kind
      url
      expiryHours
      upcTrusted
      affiliateNetwork
      affiliateAccountId
      affiliateAccountName
      affiliateTrackingTemplate
      adapterId
      scrapeConfig
      tosReviewedAt
      tosApprovedBy
      tosNotes
      robotsCompliant
    }
  }
`)

export const ReviewSource = graphql(`
  mutation ReviewSource($input: ReviewSourceInput!) {
    reviewSource(input: $input) {
      id
      tosReviewedAt
      tosApprovedBy
      tosNotes
      robotsCompliant
    }
  }
`)

export const SetDisplayPrimary = graphql(`
  mutation SetDisplayPrimary($id: ID!) {
    setDisplayPrimary(id: $id) {
      id
      isDisplayPrimary
      visibility {
        visible
        reason
      }
      retailer {
        sources {
          name
          isDisplayPrimary
          visibility {
            visible
            reason
          }
        }
      }
    }
  }
`)

export const SetSourceVisibility = graphql(`
  mutation SetSourceVisibility($id: ID!, $status: VisibilityStatus!) {
    setSourceVisibility(id: $id, status: $status) {
      id
      visibilityStatus
      visibility {
        visible
        reason
      }
    }
  }
`)
