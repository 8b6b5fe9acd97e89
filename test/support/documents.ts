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
