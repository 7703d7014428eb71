# Installs planner for the current user, without administrator rights:
#   irm @REPOSITORY@/releases/latest/download/install.ps1 | iex
param(
  [string]$Prefix = "$env:LOCALAPPDATA\planner",
  [string]$BaseUrl = "@REPOSITORY@/releases/download/v@VERSION@",
  [switch]$RequireSignature,
  [switch]$Uninstall
)

# A script block of its own: with iex, preferences that are set here would otherwise stay in the person's session.
& {
  $ErrorActionPreference = "Stop"
  # The progress bar of Windows PowerShell makes a download many times slower.
  $ProgressPreference = "SilentlyContinue"
  $Version = "@VERSION@"
  $PublicKey = "@PUBLIC_KEY@"
  $Prefix = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Prefix)
  $list = Join-Path $Prefix "installed.txt"

  # Reads and writes PATH without expanding %VARIABLES% in it.
  $key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey("Environment", $true)
  $path = $key.GetValue("Path", "", [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames)
  $entries = @($path -split ";" | Where-Object { $_ -ne "" })
  function Set-UserPath([string[]]$Wanted) {
    $key.SetValue("Path", ($Wanted -join ";"), [Microsoft.Win32.RegistryValueKind]::ExpandString)
    # Tells running programs that the environment changed.
    [Environment]::SetEnvironmentVariable("PLANNER_INSTALLED", $null, "User")
  }

  function Remove-Installed {
    foreach ($line in Get-Content $list) {
      $file = Join-Path $Prefix $line
      if (Test-Path -LiteralPath $file -PathType Leaf) { Remove-Item -LiteralPath $file -Force }
    }
    Remove-Item -LiteralPath $list -Force
    Get-ChildItem -LiteralPath $Prefix -Directory -Recurse | Sort-Object { $_.FullName.Length } -Descending |
      Where-Object { -not (Get-ChildItem -LiteralPath $_.FullName -Force) } | Remove-Item -Force
    if (-not (Get-ChildItem -LiteralPath $Prefix -Force)) { Remove-Item -LiteralPath $Prefix -Force }
  }

  if ($Uninstall) {
    if (-not (Test-Path -LiteralPath $list)) { throw "Nothing to remove: $list does not exist" }
    Remove-Installed
    Set-UserPath ($entries | Where-Object { $_ -ne $Prefix })
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
      throw "The signature cannot be checked: minisign is not installed, or this installer contains no public key"
    } else {
      Write-Host "The signature was not checked: minisign is not installed, or this installer contains no public key"
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
    # The list goes first, so that an installation that stops half way can be removed.
    $content = "$work\$name"
    $files = @(Get-ChildItem -LiteralPath $content -File -Recurse | ForEach-Object { $_.FullName.Substring($content.Length + 1) })
    $known = if (Test-Path -LiteralPath $list) { @(Get-Content $list) } else { @() }
    ($known + $files) | Sort-Object -Unique | Set-Content $list
    Copy-Item -Recurse -Force "$content\*" $Prefix
    if ($entries -notcontains $Prefix) { Set-UserPath ($entries + $Prefix) }
    Write-Host "Installed $(& "$Prefix\planner.exe" --version) in $Prefix; open a new terminal, then: planner init"
  } finally {
    Remove-Item -Recurse -Force $work
  }
}
