import type { Dialect } from './field.ts'

/** The names that most networks share, Google's and Meta's among them. */
export const generic: Dialect = {
  name: 'GENERIC',
  columns: {
    title: ['Name', 'Product Name', 'Title', 'Item Name'],
    link: ['Url', 'Product URL', 'Link', 'Product Link', 'Buy URL', 'Buy Link', 'Deep Link'],
    landingLink: ['Original URL', 'Canonical Link', 'Merchant Deep Link', 'Landing Page URL'],
    salePrice: ['Sale Price', 'Current Price'],
    price: ['Price', 'List Price'],
    originalPrice: ['Original Price', 'MSRP', 'Retail Price', 'Regular Price', 'RRP'],
    saleStart: ['Sale Start', 'Sale Start Date', 'Sale Price Start Date'],
    saleEnd: ['Sale End', 'Sale End Date', 'Sale Price End Date'],
    saleWindow: ['Sale Price Effective Date'],
    currency: ['Currency', 'Currency Code'],
    itemId: [],
    sku: ['SKU', 'Merchant SKU', 'Product SKU', 'Unique Merchant SKU', 'Id', 'Product Id', 'Item Id'],
    upc: ['GTIN', 'UPC', 'EAN', 'ISBN'],
    mpn: ['MPN', 'Manufacturer Part Number', 'Part Number'],
    brand: ['Manufacturer', 'Brand', 'Manufacturer Name', 'Brand Name'],
    category: [
      'Category',
      'Product Category',
      'Product Type',
      'Category Path',
      'Category Name',
      'Google Product Category',
    ],
    image: ['Image URL', 'Image', 'Primary Image', 'Image Link'],
    stock: ['Stock Availability', 'Availability', 'In Stock', 'Stock Status'],
    description: ['Description', 'Product Description', 'Long Description', 'Short Description'],
    parentSku: ['Parent SKU'],
    parentName: ['Parent Name'],
    isParent: ['Is Parent'],
    groupId: ['Item Group Id'],
  },
  isParentRow: () => false,
}
