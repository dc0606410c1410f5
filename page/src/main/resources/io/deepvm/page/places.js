// Where cloud regions are, in degrees: the city that the cloud names, or the middle of the country.
const AT = {
  'us-east-1': [39, -77.5], 'us-east-2': [40, -83], 'us-west-1': [37.4, -122], 'us-west-2': [45.8, -119.7],
  'ca-central-1': [45.5, -73.6], 'ca-west-1': [51, -114], 'sa-east-1': [-23.5, -46.6], 'mx-central-1': [20.6, -100.4],
  'eu-west-1': [53.3, -6.3], 'eu-west-2': [51.5, -0.1], 'eu-west-3': [48.9, 2.4], 'eu-central-1': [50.1, 8.7],
  'eu-central-2': [47.4, 8.5], 'eu-north-1': [59.3, 18.1], 'eu-south-1': [45.5, 9.2], 'eu-south-2': [41.6, -0.9],
  'ap-south-1': [19.1, 72.9], 'ap-south-2': [17.4, 78.5], 'ap-southeast-1': [1.3, 103.8], 'ap-southeast-2': [-33.9, 151.2],
  'ap-southeast-3': [-6.2, 106.8], 'ap-southeast-4': [-37.8, 145], 'ap-northeast-1': [35.7, 139.7],
  'ap-northeast-2': [37.6, 127], 'ap-northeast-3': [34.7, 135.5], 'ap-east-1': [22.3, 114.2], 'af-south-1': [-33.9, 18.4],
  'me-south-1': [26.1, 50.5], 'me-central-1': [25.2, 55.3], 'il-central-1': [32.1, 34.8],
  'us-central1': [41.3, -95.9], 'us-east1': [33.2, -80], 'us-east4': [39, -77.5], 'us-east5': [40, -83], 'us-south1': [32.8, -96.8],
  'us-west1': [45.6, -121.2], 'us-west2': [34, -118.2], 'us-west3': [40.8, -111.9], 'us-west4': [36.2, -115.1],
  'northamerica-northeast1': [45.5, -73.6], 'northamerica-northeast2': [43.7, -79.4], 'southamerica-east1': [-23.5, -46.6],
  'southamerica-west1': [-33.5, -70.7], 'europe-west1': [50.4, 3.8], 'europe-west2': [51.5, -0.1], 'europe-west3': [50.1, 8.7],
  'europe-west4': [53.4, 6.8], 'europe-west6': [47.4, 8.5], 'europe-west8': [45.5, 9.2], 'europe-west9': [48.9, 2.4],
  'europe-west12': [45.1, 7.7], 'europe-central2': [52.2, 21], 'europe-north1': [60.6, 27.2], 'europe-southwest1': [40.4, -3.7],
  'asia-east1': [24.1, 120.5], 'asia-east2': [22.3, 114.2], 'asia-northeast1': [35.7, 139.7], 'asia-northeast2': [34.7, 135.5],
  'asia-northeast3': [37.6, 127], 'asia-south1': [19.1, 72.9], 'asia-south2': [28.6, 77.2], 'asia-southeast1': [1.3, 103.8],
  'asia-southeast2': [-6.2, 106.8], 'australia-southeast1': [-33.9, 151.2], 'australia-southeast2': [-37.8, 145],
  'me-west1': [32.1, 34.8], 'me-central2': [26.4, 50.1], 'africa-south1': [-26.2, 28],
  eastus: [37.4, -79], eastus2: [36.7, -78.4], westus: [37.8, -122.4], westus2: [47.2, -119.9], westus3: [33.4, -112], centralus: [41.6, -93.6],
  northcentralus: [41.9, -87.6], southcentralus: [29.4, -98.5], westcentralus: [40.9, -110.2], canadacentral: [43.7, -79.4], canadaeast: [46.8, -71.2],
  brazilsouth: [-23.6, -46.6], brazilsoutheast: [-22.9, -43.2], mexicocentral: [20.6, -100.4], chilecentral: [-33.5, -70.7], northeurope: [53.3, -6.3], westeurope: [52.4, 4.9], uksouth: [51.5, -0.1],
  ukwest: [51.5, -3.2], francecentral: [48.9, 2.4], francesouth: [43.8, 2.1], germanywestcentral: [50.1, 8.7], germanynorth: [53.1, 8.8], norwayeast: [59.9, 10.8],
  norwaywest: [59, 5.7], swedencentral: [60.7, 17.1], swedensouth: [55.6, 13], switzerlandnorth: [47.4, 8.5], switzerlandwest: [46.2, 6.1], italynorth: [45.5, 9.2], polandcentral: [52.2, 21],
  spaincentral: [40.4, -3.7], austriaeast: [48.2, 16.4], israelcentral: [32.1, 34.8], uaenorth: [25.2, 55.3], uaecentral: [24.5, 54.4], qatarcentral: [25.3, 51.5], southafricanorth: [-26.2, 28],
  southafricawest: [-33.9, 18.4], centralindia: [18.6, 73.9], southindia: [13, 80.2], westindia: [19.1, 72.9], jioindiawest: [22.5, 70.1], jioindiacentral: [21.1, 79.1], eastasia: [22.3, 114.2], southeastasia: [1.3, 103.8],
  japaneast: [35.7, 139.8], japanwest: [34.7, 135.5], koreacentral: [37.6, 127], koreasouth: [35.2, 129], australiaeast: [-33.9, 151.2],
  australiasoutheast: [-37.8, 145], australiacentral: [-35.3, 149.1], newzealandnorth: [-36.8, 174.8], indonesiacentral: [-6.2, 106.8], malaysiawest: [3.1, 101.7], taiwannorth: [25, 121.5],
};

// Returns [degrees north, degrees east] of a region; null where it is not known.
export function position(region) {
  return AT[region] || AT[region.replace(/[a-z]$/, '')] || null;
}

// Outlines of the continents, very roughly, as [east, north] pairs: enough to tell where one is.
export const LAND = [
  [-168, 66, -141, 70, -128, 70, -95, 72, -82, 68, -94, 60, -80, 52, -65, 60, -56, 52, -66, 45, -74, 40, -76, 35, -81, 31,
    -80, 25, -84, 30, -90, 29, -97, 27, -97, 20, -90, 21, -87, 16, -83, 10, -77, 8, -85, 11, -95, 16, -105, 20, -112, 29,
    -115, 30, -110, 23, -117, 33, -124, 40, -124, 48, -135, 58, -150, 60, -165, 54],
  [-77, 8, -72, 12, -60, 10, -50, 0, -35, -6, -39, -17, -48, -26, -58, -36, -65, -43, -68, -53, -74, -50, -73, -37, -70, -20,
    -80, -5, -79, 2],
  [-10, 36, -6, 36, 0, 38, 3, 43, 9, 44, 16, 38, 18, 40, 13, 45, 20, 41, 23, 37, 27, 41, 36, 37, 35, 31, 43, 13, 52, 16, 59, 22,
    50, 30, 57, 26, 66, 25, 72, 20, 77, 8, 81, 15, 88, 22, 94, 16, 99, 8, 104, 1, 102, 13, 109, 12, 108, 21, 118, 24, 122, 31,
    119, 38, 126, 35, 129, 41, 140, 50, 137, 54, 155, 59, 163, 60, 180, 66, 180, 69, 140, 73, 105, 77, 70, 73, 45, 68, 40, 65, 28, 71, 14, 68, 5, 61,
    8, 57, 13, 56, 19, 63, 25, 65, 22, 60, 28, 60, 21, 55, 12, 54, 8, 54, 1, 50, -4, 48, -1, 44, -9, 43],
  [-6, 36, 10, 37, 11, 33, 20, 32, 32, 31, 37, 22, 43, 12, 51, 12, 42, -1, 40, -15, 35, -22, 32, -28, 26, -34, 18, -34, 12, -18, 9, -1,
    9, 4, -8, 5, -17, 14, -16, 22],
  [114, -22, 122, -18, 130, -12, 136, -12, 140, -17, 142, -11, 146, -19, 153, -26, 150, -37, 141, -38, 131, -32, 115, -34],
  [-5, 50, 1, 51, 0, 53, -2, 56, -3, 59, -6, 57, -5, 54, -3, 53],
  [-10, 52, -6, 52, -6, 55, -8, 55],
  [131, 31, 136, 34, 141, 36, 142, 40, 145, 43, 141, 45, 140, 40, 136, 37, 130, 33],
  [-52, 82, -20, 82, -22, 70, -43, 60, -52, 65, -60, 76],
  [95, 5, 106, -6, 115, -8, 105, -5, 100, -1],
  [109, 1, 116, 7, 119, 1, 115, -4, 110, -3],
  [44, -16, 50, -15, 47, -25, 44, -24],
  [173, -35, 178, -38, 174, -42, 167, -46, 172, -41],
];
