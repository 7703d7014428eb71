# Installs planner for the current user, without administrator rights:
#   irm @REPOSITORY@/releases/latest/download/install.ps1 | iex
param(
  [string]$Prefix = "$env:LOCALAPPDATA\planner",
  [string]$BaseUrl = "@REPOSITORY@/releases/download/v@VERSION@",
  [switch]$RequireSignature,
  [switch]$Uninstall
)
$ErrorActionPreference = "Stop"
$Version = "@VERSION@"
$PublicKey = "@PUBLIC_KEY@"

function Set-UserPath([string[]]$Entries) {
  [Environment]::SetEnvironmentVariable("Path", ($Entries -join ";"), "User")
}
$userPath = @([Environment]::GetEnvironmentVariable("Path", "User") -split ";" | Where-Object { $_ -ne "" })

if ($Uninstall) {
  if (-not (Test-Path "$Prefix\planner.exe")) { throw "Nothing to remove: $Prefix\planner.exe does not exist" }
  Remove-Item -Recurse -Force $Prefix
  Set-UserPath ($userPath | Where-Object { $_ -ne $Prefix })
  Write-Host "Removed planner from $Prefix"
  return
}

$cpu = if ($env:PROCESSOR_ARCHITECTURE -eq "ARM64") { "arm64" } else { "x64" }
$name = "planner-$Version-windows-$cpu"
$work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $work | Out-Null
try {
  Write-Host "Downloading $name.zip from $BaseUrl"
  Invoke-WebRequest -UseBasicParsing "$BaseUrl/SHA256SUMS" -OutFile "$work\SHA256SUMS"
  if ($PublicKey -notmatch "^@" -and $PublicKey -ne "" -and (Get-Command minisign -ErrorAction SilentlyContinue)) {
    Invoke-WebRequest -UseBasicParsing "$BaseUrl/SHA256SUMS.minisig" -OutFile "$work\SHA256SUMS.minisig"
    & minisign -Vqm "$work\SHA256SUMS" -P $PublicKey
    if ($LASTEXITCODE -ne 0) { throw "The signature of SHA256SUMS is wrong: nothing was installed" }
    Write-Host "Checked the signature of SHA256SUMS"
  } elseif ($RequireSignature) {
    throw "The signature cannot be checked: minisign is not installed, or this installer carries no public key"
  } else {
    Write-Host "The signature was not checked: minisign is not installed, or this installer carries no public key"
  }
  Invoke-WebRequest -UseBasicParsing "$BaseUrl/$name.zip" -OutFile "$work\$name.zip"
  $line = Get-Content "$work\SHA256SUMS" | Where-Object { $_ -match "  $([regex]::Escape("$name.zip"))$" }
  if (-not $line) { throw "SHA256SUMS does not name $name.zip" }
  $found = (Get-FileHash -Algorithm SHA256 "$work\$name.zip").Hash.ToLowerInvariant()
  $wanted = ($line -split " ")[0]
  if ($found -ne $wanted) { throw "$name.zip has SHA-256 $found, SHA256SUMS says ${wanted}: nothing was installed" }
  Expand-Archive -Path "$work\$name.zip" -DestinationPath $work
  & "$work\$name\planner.exe" --version | Out-Null
  if ($LASTEXITCODE -ne 0) { throw "The program does not run on this machine: nothing was installed" }
  New-Item -ItemType Directory -Force -Path $Prefix | Out-Null
  Copy-Item -Recurse -Force "$work\$name\*" $Prefix
  if ($userPath -notcontains $Prefix) { Set-UserPath ($userPath + $Prefix) }
  Write-Host "Installed $(& "$Prefix\planner.exe" --version) in $Prefix; open a new terminal, then: planner init"
} finally {
  Remove-Item -Recurse -Force $work
}
